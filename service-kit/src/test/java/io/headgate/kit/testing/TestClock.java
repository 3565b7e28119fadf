package io.headgate.kit.testing;

import io.headgate.kit.time.TimeSource;
import java.time.Duration;
import java.time.Instant;

/// A clock that moves only when told to. Wall and monotonic time move together unless the wall
/// clock is set, as an administrator would.
public final class TestClock implements TimeSource {
  public static final Instant START = Instant.parse("2030-01-01T00:00:00Z");

  private Instant wall = START;
  private long monotonicNanos;

  @Override
  public synchronized Instant instant() {
    return wall;
  }

  @Override
  public synchronized long monotonicNanos() {
    return monotonicNanos;
  }

  /// Lets time pass.
  public synchronized void advance(Duration duration) {
    wall = wall.plus(duration);
    monotonicNanos += duration.toNanos();
  }

  /// Sets the wall clock; no time passes.
  public synchronized void setWall(Instant instant) {
    wall = instant;
  }
}
