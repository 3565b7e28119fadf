package io.headgate.scheduler.core.preemption;

import io.headgate.scheduler.core.catalog.TenantId;
import io.headgate.scheduler.core.explain.Obstacle;
import io.headgate.scheduler.core.job.JobId;
import io.headgate.scheduler.core.placement.NodeState;
import io.headgate.scheduler.core.placement.PoolState;
import io.headgate.scheduler.core.placement.Ranking;
import io.headgate.scheduler.core.placement.Room;
import io.headgate.scheduler.core.placement.Shape;
import io.headgate.scheduler.core.placement.Stake;
import io.headgate.scheduler.core.queue.LiveAttempt;
import io.headgate.scheduler.core.queue.Route;
import io.headgate.scheduler.core.rights.PolicyAccount;
import io.headgate.scheduler.core.rights.RemovedUsage;
import io.headgate.scheduler.core.rights.Standing;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// Finds what is in the way of entitled jobs that make no room by preemption (P4).
///
/// The answer is about the place where the fewest GPUs are in the way. It looks at [#MAX_NODES]
/// nodes at most, once for each route, however many jobs ask. Each tenant gets a view of its own:
/// it shows nothing of jobs of other tenants but their number.
public final class Obstacles {
  /// Bounds the cost of a reason: a few milliseconds.
  private static final int MAX_NODES = 1000;

  private final Function<JobId, @Nullable LiveAttempt> attemptOf;
  private final Instant now;
  private final Map<Ranking, List<Site>> sites = new HashMap<>();
  private final Map<View, Optional<Found>> known = new HashMap<>();

  /// The jobs of a tenant on a route.
  private record View(Ranking ranking, TenantId tenant) {}

  /// @param owners the policies of the jobs in the way
  private record Found(Obstacle obstacle, Set<PolicyAccount> owners) {}

  /// @param attemptOf the attempt of a job; null: it has none
  public Obstacles(Function<JobId, @Nullable LiveAttempt> attemptOf, Instant now) {
    this.attemptOf = attemptOf;
    this.now = now;
  }

  /// The time for which it answers.
  public Instant now() {
    return now;
  }

  /// The obstacle of the policy's jobs on the route; empty: nothing is, or only jobs of the policy,
  /// or they fit nowhere whatever goes.
  public Optional<Obstacle> on(Route route, PolicyAccount policy) {
    return known
        .computeIfAbsent(
            new View(route.ranking(), policy.id().tenant()), view -> find(route.pool(), view))
        .filter(found -> !found.owners().equals(Set.of(policy)))
        .map(Found::obstacle);
  }

  /// A job in the way.
  ///
  /// @param obstacle itself, as its own tenant sees it
  private record Blocker(PolicyAccount policy, Obstacle obstacle) {
    Obstacle seenBy(TenantId tenant) {
      return policy.id().tenant().equals(tenant) ? obstacle : Obstacle.OF_ANOTHER_TENANT;
    }
  }

  /// The jobs in the way on one node.
  ///
  /// @param workers that would fit if all its jobs had gone
  private record Site(int workers, long units, List<Blocker> blockers) {
    SeenSite seenBy(TenantId tenant) {
      Obstacle all = Obstacle.NONE;
      for (Blocker blocker : blockers) {
        all = all.and(blocker.seenBy(tenant));
      }
      return new SeenSite(this, all);
    }
  }

  /// @param obstacle all jobs in the way there, as one tenant sees them
  private record SeenSite(Site site, Obstacle obstacle) {
    private static final Comparator<Instant> LATER =
        Comparator.nullsFirst(Comparator.naturalOrder());

    static final Comparator<SeenSite> LEAST_FIRST =
        Comparator.comparingLong((SeenSite seen) -> seen.site().units())
            .thenComparingInt(seen -> seen.obstacle().jobs())
            .thenComparingInt(seen -> seen.obstacle().nonPreemptible())
            .thenComparingInt(seen -> seen.obstacle().entitled())
            .thenComparingInt(seen -> seen.obstacle().ofOtherTenants())
            .thenComparing(seen -> seen.obstacle().protectedUntil().orElse(null), LATER);
  }

  private Optional<Found> find(PoolState pool, View view) {
    Shape shape = view.ranking().shape();
    List<SeenSite> seen = new ArrayList<>();
    for (Site site : sites.computeIfAbsent(view.ranking(), ranking -> sites(pool, shape))) {
      seen.add(site.seenBy(view.tenant()));
    }
    int workers = 0;
    Obstacle found = Obstacle.NONE;
    Set<PolicyAccount> owners = new HashSet<>();
    for (SeenSite least : leastFirst(seen, shape)) {
      if (workers >= shape.workers()) {
        break;
      }
      workers += least.site().workers();
      found = found.and(least.obstacle());
      least.site().blockers().forEach(blocker -> owners.add(blocker.policy()));
    }
    return workers >= shape.workers() && found.isAny()
        ? Optional.of(new Found(found, owners))
        : Optional.empty();
  }

  /// As many as the shape can need. One worker needs the first alone, so nothing is sorted for it.
  private static List<SeenSite> leastFirst(List<SeenSite> seen, Shape shape) {
    if (!seen.isEmpty() && !shape.isGang()) {
      return List.of(Collections.min(seen, SeenSite.LEAST_FIRST));
    }
    seen.sort(SeenSite.LEAST_FIRST);
    return seen;
  }

  private List<Site> sites(PoolState pool, Shape shape) {
    List<Site> all = new ArrayList<>();
    int looked = 0;
    for (NodeState node : pool.nodes()) {
      if (looked++ == MAX_NODES) {
        break;
      }
      if (node.willTakeWork()) {
        Site site = site(node, shape);
        if (site.workers() > 0) {
          all.add(site);
        }
      }
    }
    return all;
  }

  private Site site(NodeState node, Shape shape) {
    Room room = Room.soon(node);
    Set<LiveAttempt> attempts = new LinkedHashSet<>();
    for (NodeState.Share share : node.shares()) {
      LiveAttempt attempt = share.stake() == Stake.LIVE ? attemptOf.apply(share.job()) : null;
      if (attempt != null) {
        room.give(share.place());
        attempts.add(attempt);
      }
    }
    int workers = room.workers(shape);
    RemovedUsage taken = new RemovedUsage();
    long units = 0;
    List<Blocker> blockers = new ArrayList<>();
    for (LiveAttempt attempt : workers == 0 ? List.<LiveAttempt>of() : attempts) {
      Obstacle obstacle = obstacle(attempt, taken);
      if (obstacle.isAny()) {
        units += attempt.takenUnits();
        blockers.add(new Blocker(attempt.policy(), obstacle));
      } else {
        taken.path(attempt.levels()).remove(attempt.takenUnits());
      }
    }
    return new Site(workers, units, blockers);
  }

  /// The attempt as an obstacle; none: it may go.
  private Obstacle obstacle(LiveAttempt attempt, RemovedUsage taken) {
    if (!attempt.claim().preemptible()) {
      return Obstacle.NON_PREEMPTIBLE;
    }
    if (isEntitled(attempt, taken)) {
      return Obstacle.ENTITLED;
    }
    return attempt.protectedUntil().isAfter(now)
        ? Obstacle.protectedUntil(attempt.protectedUntil())
        : Obstacle.NONE;
  }

  /// Whether its levels would entitle it without those that may go before it.
  private static boolean isEntitled(LiveAttempt attempt, RemovedUsage taken) {
    return taken.path(attempt.levels()).standing() == Standing.ENTITLED;
  }
}
