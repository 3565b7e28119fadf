package io.headgate.agent.process;

import static org.awaitility.Awaitility.await;

import io.headgate.kit.testing.Needed;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

/// A real file system with project quotas, in a file.
public final class QuotaDisk implements AutoCloseable {
  public static final long BYTES = 256L << 20;
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private final Path mounted;

  private QuotaDisk(Path mounted) {
    this.mounted = mounted;
  }

  /// Makes one, or skips the test where the machine cannot.
  public static QuotaDisk mount(Path directory) throws IOException, InterruptedException {
    Path image = directory.resolve("image");
    try (RandomAccessFile file = new RandomAccessFile(image.toFile(), "rw")) {
      file.setLength(BYTES);
    }
    Path mounted = Files.createDirectory(directory.resolve("disk"));
    Needed.DISK_QUOTAS.demand(
        sh("mkfs.ext4 -q -O quota,project -E quotatype=prjquota " + image) == 0
            && sh("mount -o loop,prjquota %s %s".formatted(image, mounted)) == 0);
    return new QuotaDisk(mounted);
  }

  public Path directory() {
    return mounted;
  }

  private static int sh(String command) throws IOException, InterruptedException {
    return new ProcessBuilder("sh", "-c", command)
        .redirectErrorStream(true)
        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
        .start()
        .waitFor();
  }

  @Override
  public void close() {
    // Processes that were just killed may still hold it.
    await().atMost(PATIENCE).until(() -> sh("umount " + mounted) == 0);
  }
}
