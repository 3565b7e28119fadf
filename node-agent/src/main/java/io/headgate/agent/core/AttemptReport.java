package io.headgate.agent.core;

import java.time.Instant;
import java.util.Optional;
import java.util.OptionalInt;

/// The state of an attempt, as reported to the scheduler.
///
/// @param suspension the order by which it is suspended; 0: it is not
/// @param address where the other workers reach it; empty: it was not prepared for a start barrier
public record AttemptReport(
    AttemptKey key,
    AttemptState state,
    Optional<Instant> started,
    Optional<StopStep> step,
    Optional<End> end,
    long suspension,
    Optional<WorkerAddress> address) {

  /// The end of an attempt.
  ///
  /// @param exitCode 0 to 255, or 128 + signal; empty: none
  /// @param error one sentence; empty: nothing went wrong
  public record End(EndReason reason, OptionalInt exitCode, Optional<String> error, Instant at) {}

  /// The end of an attempt that never ran here.
  static AttemptReport neverRan(AttemptKey key, EndReason reason, String error, Instant at) {
    return new AttemptReport(
        key,
        AttemptState.ENDED,
        Optional.empty(),
        Optional.empty(),
        Optional.of(new End(reason, OptionalInt.empty(), Optional.of(error), at)),
        0,
        Optional.empty());
  }
}
