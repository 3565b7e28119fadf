package io.headgate.agent.runtime.attempt;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/// Reservations of the machine's main memory: memory that one attempt has reserved and does not use
/// yet is refused to another. Memory in use counts twice until its reservation is given back, so
/// the estimate errs on the safe side. Any thread.
public final class MainMemory {
  private final Reading available;
  private final Object lock = new Object();
  private long taken; // guarded by lock

  /// Reads the available bytes.
  @FunctionalInterface
  interface Reading {
    long read() throws IOException;
  }

  MainMemory(Reading available) {
    this.available = available;
  }

  public static MainMemory ofMachine() {
    return new MainMemory(MainMemory::available);
  }

  private static long available() throws IOException {
    for (String line : Files.readAllLines(Path.of("/proc/meminfo"))) {
      if (line.startsWith("MemAvailable:")) {
        return Long.parseLong(line.replaceAll("[^0-9]", "")) << 10;
      }
    }
    return Long.MAX_VALUE;
  }

  /// Takes so many bytes, if there are as many.
  ///
  /// @return how many there were; less: none were taken
  long take(long bytes) throws IOException {
    synchronized (lock) {
      long free = available.read() - taken;
      if (bytes <= free) {
        taken += bytes;
      }
      return free;
    }
  }

  /// Returns bytes that are in use now, or not needed.
  void giveBack(long bytes) {
    synchronized (lock) {
      taken -= bytes;
    }
  }
}
