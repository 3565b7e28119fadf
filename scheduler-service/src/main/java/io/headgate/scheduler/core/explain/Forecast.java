package io.headgate.scheduler.core.explain;

import java.time.Instant;

/// When a waiting job will start, as far as it can be said honestly.
public sealed interface Forecast {
  /// It starts by then if every job that runs, or starts before it, uses all of its declared run
  /// time. Jobs that stop must stop at once, and no user may submit, cancel or configure anything
  /// meanwhile.
  ///
  /// @param after how many attempts end before
  record By(Instant start, int after) implements Forecast {}

  /// It cannot be said.
  record Unknown(Cause cause) implements Forecast {}

  /// Why it cannot be said.
  enum Cause {
    /// It can never start as things are configured.
    NEVER_FITS,
    /// Its queue is closed.
    QUEUE_CLOSED,
    /// Jobs in its way have not said how long they run at most.
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
