package io.headgate.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// One agent of a machine has its GPUs.
class GpuLockTest {
  private static final Path DATA = Path.of("/var/lib/headgate");
  private static final Path OTHER = Path.of("/home/ada/headgate");

  @TempDir Path directory;

  private GpuConfig.Lock config() {
    return new GpuConfig.Lock(true, Optional.of(directory));
  }

  private Path file() {
    return directory.resolve("headgate-gpus.lock");
  }

  @Test
  void refusesASecondAgentByTheNameOfTheFirst() throws Exception {
    assertThat(GpuLock.holder(config())).isEmpty();
    String holder =
        "the agent of process %d (data directory %s)"
            .formatted(ProcessHandle.current().pid(), DATA);
    try (GpuLock _ = GpuLock.take(config(), DATA)) {
      assertThat(GpuLock.holder(config())).hasValue(holder);
      assertThatExceptionOfType(UncheckedIOException.class)
          .isThrownBy(() -> GpuLock.take(config(), OTHER))
          .withMessageContaining("the GPUs of this machine are in use by " + holder)
          .withMessageContaining("gpu.driver: none");
      assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file())))
          .isEqualTo("rw-------");
    }
    assertThat(GpuLock.holder(config())).isEmpty();
    GpuLock.take(config(), OTHER).close();
  }

  @Test
  void isFreeOnceItsHolderIsKilledWhateverItHasStarted() throws Exception {
    Process holder =
        new ProcessBuilder(
                List.of(
                    Path.of(System.getProperty("java.home"), "bin/java").toString(),
                    "-cp",
                    System.getProperty("java.class.path"),
                    Holder.class.getName(),
                    directory.toString()))
            .redirectErrorStream(true)
            .start();
    long child = Long.parseLong(holder.inputReader().readLine());
    try {
      assertThat(GpuLock.holder(config()))
          .hasValue("the agent of process %d (data directory %s)".formatted(holder.pid(), DATA));
      assertThatExceptionOfType(UncheckedIOException.class)
          .isThrownBy(() -> GpuLock.take(config(), OTHER));
      holder.destroyForcibly();
      assertThat(holder.waitFor(1, TimeUnit.MINUTES)).isTrue();
      assertThat(ProcessHandle.of(child)).as("a supervisor outlives its agent").isPresent();
      GpuLock.take(config(), OTHER).close();
    } finally {
      holder.destroyForcibly();
      ProcessHandle.of(child).ifPresent(ProcessHandle::destroyForcibly);
    }
  }

  /// An agent, as far as the lock goes, and a program that it has started.
  static final class Holder {
    private Holder() {}

    public static void main(String[] arguments) throws Exception {
      GpuLock.take(new GpuConfig.Lock(true, Optional.of(Path.of(arguments[0]))), DATA);
      Process child = new ProcessBuilder("sleep", "60").start();
      System.out.println(child.pid());
      child.waitFor();
    }
  }

  @Test
  void followsAndWritesNothingThatSomebodyElseHasPutThere() throws Exception {
    Path precious = Files.writeString(directory.resolve("precious"), "keep");
    Files.createSymbolicLink(file(), precious);
    assertThatExceptionOfType(UncheckedIOException.class)
        .isThrownBy(() -> GpuLock.take(config(), DATA));
    Files.delete(file());
    Files.createLink(file(), precious);
    assertThatExceptionOfType(UncheckedIOException.class)
        .isThrownBy(() -> GpuLock.take(config(), DATA))
        .withMessageContaining("belongs to another user");
    assertThat(precious).hasContent("keep");
  }
}
