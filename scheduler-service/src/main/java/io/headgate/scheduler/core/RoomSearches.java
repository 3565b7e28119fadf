package io.headgate.scheduler.core;

import io.headgate.scheduler.core.job.PreemptionRule;
import io.headgate.scheduler.core.preemption.PreemptionSearch;
import io.headgate.scheduler.core.preemption.PreemptionSearch.Result;
import io.headgate.scheduler.core.queue.LiveHold;
import io.headgate.scheduler.core.queue.RouteGroup;
import io.headgate.scheduler.core.queue.Seeker;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Searches for room, none of which is made again before something changed that it depends on. It
/// only saves work: what is remembered would be found again.
final class RoomSearches {
  /// What is remembered by: one search each, so that old ones make room for new ones.
  ///
  /// @param holds how many holds of DESIGN O7 were in force
  private record Key(Seeker seeker, int holds) {}

  /// A search that found nothing. The next one has the same outcome as long as nothing changes and
  /// the same holds are in force: the best-ranked blocked job may be another in the next round.
  ///
  /// @param changes the world's count of changes then
  /// @param holds of DESIGN O7, in force then
  private record Failure(long changes, List<LiveHold> holds, Result.NotFound result) {
    boolean isOutdated(long changesNow, List<LiveHold> holdsNow, Instant now) {
      return changes != changesNow
          || !holds.equals(holdsNow)
          || result.retryAt().map(at -> !at.isAfter(now)).orElse(false);
    }
  }

  private final World world;
  private final Map<Key, Failure> failures = new HashMap<>();
  private @Nullable PreemptionSearch shared;
  private long sharedAt;
  private int sharedHolding;

  RoomSearches(World world) {
    this.world = world;
  }

  /// Looks for room, or answers what a search in vain found before.
  ///
  /// @param holds of DESIGN O7, in force
  Result search(Seeker seeker, List<LiveHold> holds, Instant now) {
    Key key = new Key(seeker, holds.size());
    Failure failure = failures.get(key);
    if (failure != null && !failure.isOutdated(world.changes, holds, now)) {
      return failure.result();
    }
    Result result = shared(holds.size(), now).search(seeker);
    if (result instanceof Result.NotFound notFound) {
      failures.put(key, new Failure(world.changes, holds, notFound));
    }
    return result;
  }

  /// A search succeeded and its victims were asked to stop. Whoever failed in the same pools under
  /// P1 would fail again: the victims were among those that he could have taken too, and there is
  /// no more to take than before.
  ///
  /// @param before the world's count of changes at the search
  void keepFailures(Seeker successful, List<LiveHold> holds, long before) {
    if (successful.rule() != PreemptionRule.P1 || successful.group().isShared()) {
      return;
    }
    for (RouteGroup group : world.routeGroups.values()) {
      if (group.pools().equals(successful.group().pools())) {
        Seeker other = Seeker.entitled(group, successful.reclaim(), successful.anywhere());
        failures.computeIfPresent(
            new Key(other, holds.size()),
            (key, failure) ->
                failure.changes() == before && failure.holds().equals(holds)
                    ? new Failure(world.changes, holds, failure.result())
                    : failure);
      }
    }
  }

  /// All take turns again: holds were lifted since.
  void beginRound() {
    shared = null;
  }

  /// What can ever fit is another matter now.
  void forget() {
    failures.clear();
  }

  /// Whether a search for a job of the group ended at its bound, so that there may be room all the
  /// same.
  boolean gaveUp(RouteGroup group) {
    return failures.entrySet().stream()
        .anyMatch(entry ->
            entry.getValue().result().gaveUp() && entry.getKey().seeker().group() == group);
  }

  /// Searches share what they found out about victims until something changes.
  private PreemptionSearch shared(int holds, Instant now) {
    if (shared == null || sharedAt != world.changes || sharedHolding != holds) {
      shared = new PreemptionSearch(world.candidates, now, world.searchSteps);
      sharedAt = world.changes;
      sharedHolding = holds;
    }
    return shared;
  }
}
