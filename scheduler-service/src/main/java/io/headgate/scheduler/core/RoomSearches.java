package io.headgate.scheduler.core;

import io.headgate.scheduler.core.preemption.PreemptionSearch;
import io.headgate.scheduler.core.preemption.PreemptionSearch.Result;
import io.headgate.scheduler.core.queue.LiveHold;
import io.headgate.scheduler.core.queue.RoomRequest;
import io.headgate.scheduler.core.queue.Route;
import io.headgate.scheduler.core.queue.RouteGroup;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// Caches failed searches for room until a change could make them succeed. The cache only saves
/// work: a search would give the same result again.
final class RoomSearches {
  /// A search that found nothing. The next search has the same outcome while nothing changes and at
  /// least the same holds are in force: they leave less room, and no attempt may be stopped because
  /// of them. In the next round the best-ranked blocked jobs may be others.
  ///
  /// @param changes the world's room version at the search
  /// @param entitled the routes on which the tenant's reservation did not keep the job from being
  ///   entitled; only there an end of a protection matters
  /// @param holds of rule O7 in force at the search
  private record Failure(
      long changes, List<Route> entitled, List<LiveHold> holds, Result.NotFound result) {
    boolean isOutdated(
        long changesNow, List<Route> entitledNow, List<LiveHold> holdsNow, Instant now) {
      return changes != changesNow
          || !entitledNow.equals(entitled)
          || !holdsNow.containsAll(holds)
          || result.retryAt().map(at -> !at.isAfter(now)).orElse(false);
    }
  }

  private final World world;
  private final Map<RoomRequest, Failure> failures = new HashMap<>();

  /// Failures of requests for single jobs. There are many, so they are kept only while nothing
  /// changes.
  private final Map<RoomRequest, Failure> failuresOfJobs = new HashMap<>();

  private long failuresOfJobsAt;
  private @Nullable PreemptionSearch shared;
  private long sharedAt;
  private long sharedInOrder;

  RoomSearches(World world) {
    this.world = world;
  }

  /// Looks for room, or returns the cached result of a failed search.
  ///
  /// @param holds of rule O7, in force
  Result search(RoomRequest request, List<LiveHold> holds, Instant now) {
    Map<RoomRequest, Failure> known = request.job() == null ? failures : ofJobs();
    Failure failure = known.get(request);
    List<Route> entitled = request.group().routesWhereTenantIsEntitled();
    if (failure != null && !failure.isOutdated(world.changes.roomVersion(), entitled, holds, now)) {
      return failure.result();
    }
    Result result = shared(now).search(request);
    if (result instanceof Result.NotFound notFound) {
      known.put(request, new Failure(world.changes.roomVersion(), entitled, holds, notFound));
    }
    return result;
  }

  private Map<RoomRequest, Failure> ofJobs() {
    if (failuresOfJobsAt != world.changes.roomVersion()) {
      failuresOfJobs.clear();
      failuresOfJobsAt = world.changes.roomVersion();
    }
    return failuresOfJobs;
  }

  /// A search succeeded and its victims were asked to stop. A request that failed in the same pools
  /// under P1 would fail again: those victims were open to it too, and no more are left. A request
  /// for a single job is not covered, because those victims were perhaps not open to it.
  ///
  /// @param before the world's room version at the search
  void keepFailures(RoomRequest successful, long before) {
    if (!successful.isEntitledOnly() || successful.group().isShared()) {
      return;
    }
    for (RouteGroup group : world.routeGroups.values()) {
      if (group.pools().equals(successful.group().pools())
          && group.department().equals(successful.group().department())) {
        RoomRequest other =
            RoomRequest.entitled(group, successful.reclaim(), successful.anywhere());
        failures.computeIfPresent(
            other,
            (key, failure) ->
                failure.changes() == before
                    ? new Failure(
                        world.changes.roomVersion(),
                        failure.entitled(),
                        failure.holds(),
                        failure.result())
                    : failure);
      }
    }
  }

  /// All take turns again: holds were lifted since.
  void beginRound() {
    shared = null;
  }

  /// Drops all failures: other jobs may fit now.
  void forget() {
    failures.clear();
    failuresOfJobs.clear();
  }

  /// Whether a search for a job of the group ended at its bound, so that room may exist
  /// nevertheless.
  boolean gaveUp(RouteGroup group) {
    return Stream.concat(failures.entrySet().stream(), failuresOfJobs.entrySet().stream())
        .anyMatch(entry -> entry.getValue().result().gaveUp() && entry.getKey().group() == group);
  }

  /// Searches share their findings about victims until something changes. More held capacity
  /// changes none of them.
  private PreemptionSearch shared(Instant now) {
    if (shared == null
        || sharedAt != world.changes.roomVersion()
        || sharedInOrder != world.changes.orderVersion()) {
      shared = new PreemptionSearch(world.possibleVictims, now, world.searchSteps);
      sharedAt = world.changes.roomVersion();
      sharedInOrder = world.changes.orderVersion();
    }
    return shared;
  }
}
