package io.headgate.scheduler.core;

import io.headgate.scheduler.core.queue.Route;
import io.headgate.scheduler.core.rights.Standing;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/// Remembers searches for moves that found none (P11), until something changes. It only saves work:
/// the same search would fail again.
final class FailedMoves {
  private record Search(Route route, Standing standing) {}

  /// A search that found nothing.
  ///
  /// @param most GPU time that the moves would have had to lose less than
  private record Failure(double most, Optional<Instant> retryAt) {}

  private final Map<Search, Failure> failures = new HashMap<>();
  private long foundAt;

  /// Whether a search with this bound would fail again.
  ///
  /// @param version the world's room version
  /// @param wake gets the time from when on it may succeed
  boolean isKnown(
      Route route, Standing standing, double most, long version, Instant now, WakeTime wake) {
    if (foundAt != version) {
      failures.clear();
      foundAt = version;
    }
    Failure failure = failures.get(new Search(route, standing));
    if (failure == null
        || most > failure.most()
        || failure.retryAt().filter(at -> !at.isAfter(now)).isPresent()) {
      return false;
    }
    failure.retryAt().ifPresent(wake::by);
    return true;
  }

  /// Remembers a search after [#isKnown] said that it is not known.
  void add(Route route, Standing standing, double most, Optional<Instant> retryAt) {
    failures.put(new Search(route, standing), new Failure(most, retryAt));
  }
}
