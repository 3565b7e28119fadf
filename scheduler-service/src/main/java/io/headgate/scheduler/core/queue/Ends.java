package io.headgate.scheduler.core.queue;

import io.headgate.scheduler.core.job.RunTimes;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/// When running attempts are expected to end, as seen at a time by a blocked job (O7).
///
/// | the attempt | its end |
/// |---|---|
/// | declares a run time | when that is over |
/// | of a queue where at least 5 runs ended | the median of those that lasted longer than it has so far; endless if there are none |
/// | of another queue, older than `holdAfter` | endless |
/// | of another queue, younger | the median of the longer runs if there are some, otherwise unknown |
///
/// @param holdAfter of the blocked job's profile
public record Ends(Instant now, Duration holdAfter) {
  /// The certainty of an end.
  public enum Certainty {
    DECLARED,
    OBSERVED,
    UNKNOWN,
    ENDLESS
  }

  /// An expected end.
  ///
  /// @param at present when it is declared or observed; a declared one may have passed
  public record End(Certainty certainty, Optional<Instant> at) {
    private static final End UNKNOWN = new End(Certainty.UNKNOWN, Optional.empty());
    private static final End ENDLESS = new End(Certainty.ENDLESS, Optional.empty());

    public boolean isEndless() {
      return certainty == Certainty.ENDLESS;
    }
  }

  public End of(LiveAttempt attempt) {
    Optional<Instant> declared = attempt.endsBy();
    if (declared.isPresent()) {
      return new End(Certainty.DECLARED, declared);
    }
    RunTimes runs = attempt.job().queue().runTimes();
    if (!runs.areEnough() && isOld(attempt)) {
      return End.ENDLESS;
    }
    Optional<Duration> median = runs.median(elapsed(attempt, now));
    if (median.isPresent()) {
      return new End(Certainty.OBSERVED, median.map(attempt.from()::plus));
    }
    return runs.areEnough() ? End.ENDLESS : End.UNKNOWN;
  }

  /// For how long the attempt has run.
  public static Duration elapsed(LiveAttempt attempt, Instant now) {
    Duration elapsed = Duration.between(attempt.from(), now);
    return elapsed.isNegative() ? Duration.ZERO : elapsed;
  }

  /// Whether it counts as endless because of its age, where fewer than 5 runs of its queue ended.
  public boolean isOld(LiveAttempt attempt) {
    return !attempt.from().plus(holdAfter).isAfter(now);
  }

  /// When the attempt will count as endless because of its age alone; empty: not by that, or it
  /// does.
  public Optional<Instant> agesAt(LiveAttempt attempt) {
    return attempt.endsBy().isPresent()
            || attempt.job().queue().runTimes().areEnough()
            || isOld(attempt)
        ? Optional.empty()
        : Optional.of(attempt.from().plus(holdAfter));
  }
}
