package io.headgate.agent;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/// What the kernel says of processes that are nobody's children here.
public final class Processes {
  private Processes() {}

  /// Whether it runs: neither gone, nor dead and only not yet taken note of.
  public static boolean isAlive(long pid) {
    try {
      return !Files.readString(Path.of("/proc/" + pid + "/status")).contains("State:\tZ");
    } catch (IOException _) {
      // Not there, or gone while it was read.
      return false;
    }
  }
}
