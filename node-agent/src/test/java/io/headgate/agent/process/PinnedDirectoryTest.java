package io.headgate.agent.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Files of a directory that another user may write to.
class PinnedDirectoryTest {

  private static final int READS = 2_000;

  @TempDir Path directory;

  @Test
  void readsAFileThatIsReplacedAgainAndAgain() throws Exception {
    Files.writeString(directory.resolve("status"), "state");
    AtomicBoolean done = new AtomicBoolean();
    Thread writer =
        Thread.ofPlatform()
            .start(() -> {
              while (!done.get()) {
                replace();
              }
            });
    try (PinnedDirectory pinned = PinnedDirectory.open(directory)) {
      for (int i = 0; i < READS; i++) {
        try (FileChannel file = pinned.openFile("status")) {
          ByteBuffer read = ByteBuffer.allocate(16);
          file.read(read);
          assertThat(StandardCharsets.UTF_8.decode(read.flip()).toString()).isEqualTo("state");
        }
      }
    } finally {
      done.set(true);
      writer.join();
    }
  }

  @Test
  void doesNotReadAFileThatHasASecondName() throws IOException {
    Path secret = Files.writeString(directory.resolve("secret"), "of somebody else");
    Files.createLink(directory.resolve("status"), secret);
    try (PinnedDirectory pinned = PinnedDirectory.open(directory)) {
      assertThatThrownBy(() -> pinned.openFile("status"))
          .hasMessage("status is not a plain file with one name; it is not read");
    }
  }

  private void replace() {
    try {
      Path next = Files.writeString(directory.resolve("status.new"), "state");
      Files.move(next, directory.resolve("status"), StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }
}
