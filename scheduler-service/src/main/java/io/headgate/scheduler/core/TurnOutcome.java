package io.headgate.scheduler.core;

import io.headgate.scheduler.core.placement.PoolState;
import io.headgate.scheduler.core.queue.LiveAttempt;
import io.headgate.scheduler.core.queue.LiveHold;
import io.headgate.scheduler.core.queue.Turn;
import java.util.List;
import java.util.function.Supplier;

/// The outcome of a candidate's turn.
sealed interface TurnOutcome {
  /// The job started, or its suspended attempt went on.
  record Started(LiveAttempt attempt) implements TurnOutcome {}

  /// The job will start on nodes that a new leader waits for; the place is kept until the pass
  /// ends.
  record Promised(LiveHold place) implements TurnOutcome {}

  /// Victims were asked to stop, and their place is held for the job (P5).
  ///
  /// @param hold the place
  /// @param victims empty when attempts that stop anyway make enough room
  /// @param repeats whether earlier candidates may now succeed where they failed
  record MadeRoom(LiveHold hold, List<LiveAttempt> victims, boolean repeats)
      implements TurnOutcome {}

  /// Jobs were asked to go on elsewhere, and their place is held for the job (P11).
  ///
  /// @param places held for the moved jobs
  record Consolidated(LiveHold hold, List<LiveAttempt> moved, List<LiveHold> places)
      implements TurnOutcome {}

  /// The job was blocked for too long and holds capacity that running jobs will leave (O7).
  record Held(LiveHold hold) implements TurnOutcome {}

  /// The candidate found room in a pool where others come before it; its turn comes again, there.
  ///
  /// @param pool where
  record Later(Turn turn, PoolState pool) implements TurnOutcome {}

  /// The candidate could do nothing.
  record Nothing() implements TurnOutcome {}

  static TurnOutcome nothing() {
    return new Nothing();
  }

  /// This outcome; where it is nothing, that of the next action.
  default TurnOutcome or(Supplier<TurnOutcome> next) {
    return this instanceof Nothing ? next.get() : this;
  }
}
