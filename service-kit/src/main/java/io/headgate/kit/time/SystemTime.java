package io.headgate.kit.time;

import java.time.Instant;

/// Reads the machine's clocks; an architecture rule allows it to this class only.
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
