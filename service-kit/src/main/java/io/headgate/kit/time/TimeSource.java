package io.headgate.kit.time;

import java.time.Instant;
import java.time.InstantSource;

/// Wall clock and monotonic clock as one value that is passed in, so that a test can move it. Wall
/// time is for display and tokens. Waits and expiries use {@link #monotonicNanos()}, which clock
/// adjustments do not affect.
public interface TimeSource extends InstantSource {

  @Override
  Instant instant();

  /// Nanoseconds since an arbitrary origin; only differences have a meaning.
  long monotonicNanos();

  /// The machine's clocks.
  static TimeSource system() {
    return SystemTime.INSTANCE;
  }
}
