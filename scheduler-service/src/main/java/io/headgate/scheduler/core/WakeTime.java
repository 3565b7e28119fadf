package io.headgate.scheduler.core;

import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// The earliest time at which the core must decide again although no input arrives.
final class WakeTime {
  private @Nullable Instant at;

  /// Something is due at this time.
  void by(Instant due) {
    if (at == null || due.isBefore(at)) {
      at = due;
    }
  }

  Optional<Instant> at() {
    return Optional.ofNullable(at);
  }
}
