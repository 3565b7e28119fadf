package io.headgate.kit.time;

import java.time.Instant;

/// The only class that reads the machine's clocks; an architecture rule keeps it so.
enum SystemTime implements TimeSource {
  INSTANCE;

  @Override
  public Instant instant() {
    return Instant.now();
  }

  @Override
  public long monotonicNanos() {
    return System.nanoTime();
  }
}
