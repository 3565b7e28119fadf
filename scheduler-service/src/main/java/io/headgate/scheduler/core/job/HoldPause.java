package io.headgate.scheduler.core.job;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/// A pause in which a job holds nothing whose expected start is unknown (O7), because such a hold
/// of it has expired.
///
/// @param holds that expired in a row
public record HoldPause(int holds, Instant until) {
  private static final int MOST_DOUBLINGS = 3;

  /// The pause after another hold has expired: `holdAfter`, doubled for each earlier one, up to
  /// eight times that.
  public static HoldPause after(Optional<HoldPause> before, Duration holdAfter, Instant now) {
    int earlier = before.map(HoldPause::holds).orElse(0);
    long factor = 1L << Math.min(earlier, MOST_DOUBLINGS);
    return new HoldPause(earlier + 1, now.plus(holdAfter.multipliedBy(factor)));
  }
}
