package io.headgate.scheduler.core;

import io.headgate.scheduler.core.queue.LiveHold;
import io.headgate.scheduler.core.queue.Route;
import io.headgate.scheduler.core.rights.Standing;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// Remembers searches for moves that found none (P11), until something changes. It only saves work:
/// the same search would fail again.
final class FailedMoves {
  /// The subject of a search.
  ///
  /// @param standing of the blocked job
  record Search(Route route, Standing standing) {}

  /// A search that found nothing.
  ///
  /// @param most GPU time that the moves would have had to lose less than
  /// @param holds of rule O7 in force at the search; without one of them there is more room
  private record Failure(double most, List<LiveHold> holds, Optional<Instant> retryAt) {}

  private final Map<Search, Failure> failures = new HashMap<>();
  private long foundAt;

  /// Whether a search with this bound would fail again.
  ///
  /// @param version the world's room version
  /// @param wake gets the time from when on it may succeed
  boolean isKnown(
      Search search, double most, List<LiveHold> holds, long version, Instant now, WakeTime wake) {
    if (foundAt != version) {
      failures.clear();
      foundAt = version;
    }
    Failure failure = failures.get(search);
    if (failure == null
        || most > failure.most()
        || !holds.containsAll(failure.holds())
        || failure.retryAt().filter(at -> !at.isAfter(now)).isPresent()) {
      return false;
    }
    failure.retryAt().ifPresent(wake::by);
    return true;
  }

  /// Remembers a search after [#isKnown] said that it is not known.
  void add(Search search, double most, List<LiveHold> holds, Optional<Instant> retryAt) {
    failures.put(search, new Failure(most, holds, retryAt));
  }
}
