package io.headgate.kit.time;

import java.time.Instant;
import java.time.InstantSource;

/// Wall clock and monotonic clock as one value that is handed in, never reached for: a test moves
/// it by hand. Wall time is for what people read and for tokens; everything that waits or expires
/// counts by {@link #monotonicNanos()}, which no clock adjustment moves.
public interface TimeSource extends InstantSource {

  @Override
  Instant instant();

  /// Nanoseconds since an arbitrary origin; only differences mean something.
  long monotonicNanos();

  /// The machine's clocks.
  static TimeSource system() {
    return SystemTime.INSTANCE;
  }
}
