package io.headgate.agent.process;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/// The processes and threads that all jobs of a machine together may have.
public final class ProcessCapacity {
  /// Where the kernel does not say: its usual number.
  private static final long USUAL = 32_768;

  private ProcessCapacity() {}

  /// Three quarters of the kernel's maximum; the rest is the system's.
  public static long ofMachine() {
    long most =
        Math.min(
            read(Path.of("/proc/sys/kernel/pid_max")),
            read(Path.of("/proc/sys/kernel/threads-max")));
    return most / 4 * 3;
  }

  private static long read(Path file) {
    try {
      return Long.parseLong(Files.readString(file).strip());
    } catch (IOException | NumberFormatException _) {
      return USUAL;
    }
  }
}
