package io.headgate.agent.process;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/// The kernel's boot clock, which the supervisors use too: it rises by real time, also while the
/// machine sleeps, and nobody can set it.
public final class BootClock {
  private static final Path UPTIME = Path.of("/proc/uptime");
  private static final Path BOOT_ID = Path.of("/proc/sys/kernel/random/boot_id");

  private BootClock() {}

  /// Milliseconds since the machine started, to 10 ms, rounded down.
  public static long nowMs() {
    String text = read(UPTIME);
    int point = text.indexOf('.');
    long seconds = Long.parseLong(text.substring(0, point));
    return seconds * 1000 + Long.parseLong(text.substring(point + 1, point + 3)) * 10;
  }

  /// Names this run of the kernel: a new one proves that nothing of the last runs any more.
  public static String bootId() {
    return read(BOOT_ID).strip();
  }

  private static String read(Path file) {
    try {
      return Files.readString(file, StandardCharsets.US_ASCII);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read " + file + "; Headgate's agent needs Linux", e);
    }
  }
}
