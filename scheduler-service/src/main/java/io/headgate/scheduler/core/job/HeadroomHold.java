package io.headgate.scheduler.core.job;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

/// Headroom that a job holds in the limits that block it, because it was blocked for so long that
/// later jobs no longer pass it (O7).
///
/// @param scopes the limits that blocked the job when the last decision was made; never none
/// @param expectedStart when enough running jobs are expected to have ended; absent: unknown
/// @param until when the hold expires because its expected start is unknown; absent: it is known
public record HeadroomHold(
    List<HeadroomScope> scopes, Optional<Instant> expectedStart, Optional<Instant> until) {
  public HeadroomHold {
    scopes = List.copyOf(scopes);
    if (scopes.isEmpty() || expectedStart.isPresent() == until.isPresent()) {
      throw new IllegalArgumentException(
          "a hold in %s from %s until %s".formatted(scopes, expectedStart, until));
    }
  }

  /// The time before which jobs must end that pass it.
  public Instant passableUntil() {
    return expectedStart.or(() -> until).orElseThrow();
  }
}
