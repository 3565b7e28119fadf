package io.headgate.kit.testing.bad;

import java.time.Instant;
import java.util.Date;

/// Reads clocks in four ways.
public final class ClockReader {
  public Instant now() {
    return Instant.now();
  }

  public long millis() {
    return System.currentTimeMillis();
  }

  public long nanos() {
    return System.nanoTime();
  }

  public Date date() {
    return new Date();
  }
}
