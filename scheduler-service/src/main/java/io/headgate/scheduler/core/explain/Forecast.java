package io.headgate.scheduler.core.explain;

import java.time.Instant;
import java.util.Optional;

/// When a waiting job will start, as far as it can be said honestly.
public sealed interface Forecast {
  /// It starts at about this time. Jobs that stop must stop at once, and no user may submit, cancel
  /// or configure anything meanwhile.
  ///
  /// @param start if every job that runs, or starts before it, uses all of its declared run time,
  ///   or runs for as long as half of the ended runs of its queue did
  /// @param by its start if those jobs run for as long as 95 of 100 of those runs; absent: cannot
  ///   be said. Equal to `start` where run times are declared
  /// @param after how many attempts end before `start`
  record Expected(Instant start, Optional<Instant> by, int after, Basis basis)
      implements Forecast {}

  /// The basis of an expected start.
  enum Basis {
    /// All run times were declared.
    DECLARED,
    /// Some run times were observed in earlier runs of their queues.
    OBSERVED
  }

  /// It cannot be said.
  record Unknown(Cause cause) implements Forecast {}

  /// Why it cannot be said.
  enum Cause {
    /// It can never start as things are configured.
    NEVER_FITS,
    /// Its queue is closed.
    QUEUE_CLOSED,
    /// A budget is spent.
    BUDGET,
    /// Jobs in its way have not said how long they run at most, and too few ended that ran longer.
    OPEN_ENDED,
    /// It waits for an elastic pool; how long a provider takes is unknown.
    PROVIDER,
    /// No running attempt is in its way: a user or admin has to change something.
    NOTHING_ENDS,
    /// More jobs end before it than the forecast follows.
    TOO_FAR,
    /// More jobs wait and run than a forecast for one job may simulate.
    TOO_MANY,
    /// Too many questions at once. The core never answers so; its callers may.
    BUSY
  }
}
