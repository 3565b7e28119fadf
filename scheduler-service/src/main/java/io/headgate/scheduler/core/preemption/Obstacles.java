package io.headgate.scheduler.core.preemption;

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
/// The answer is about the place where the fewest GPUs are in the way. It is computed once for each
/// route, however many jobs ask, and looks at [#MAX_NODES] nodes at most.
public final class Obstacles {
  /// Bounds the cost of a reason: a few milliseconds.
  private static final int MAX_NODES = 1000;

  private final Function<JobId, @Nullable LiveAttempt> attemptOf;
  private final Instant now;
  private final Map<Ranking, Optional<Found>> known = new HashMap<>();

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
        .computeIfAbsent(route.ranking(), ranking -> find(route.pool(), ranking.shape()))
        .filter(found -> !found.owners().equals(Set.of(policy)))
        .map(Found::obstacle);
  }

  /// The jobs in the way on one node.
  ///
  /// @param workers that would fit if all its jobs had gone
  private record Site(
      int workers,
      long units,
      int entitled,
      int nonPreemptible,
      int protectedJobs,
      @Nullable Instant protectedUntil,
      Set<PolicyAccount> owners) {
    int jobs() {
      return entitled + nonPreemptible + protectedJobs;
    }
  }

  private static final Comparator<Site> LEAST_FIRST =
      Comparator.comparingLong(Site::units)
          .thenComparingInt(Site::jobs)
          .thenComparingInt(Site::nonPreemptible)
          .thenComparingInt(Site::entitled)
          .thenComparing(Site::protectedUntil, Comparator.nullsFirst(Comparator.naturalOrder()));

  private Optional<Found> find(PoolState pool, Shape shape) {
    List<Site> sites = new ArrayList<>();
    int looked = 0;
    for (NodeState node : pool.nodes()) {
      if (looked++ == MAX_NODES) {
        break;
      }
      if (node.willTakeWork()) {
        Site site = site(node, shape);
        if (site.workers() > 0) {
          sites.add(site);
        }
      }
    }
    sites.sort(LEAST_FIRST);
    int workers = 0;
    int entitled = 0;
    int nonPreemptible = 0;
    int protectedJobs = 0;
    Instant until = null;
    Set<PolicyAccount> owners = new HashSet<>();
    for (Site site : sites) {
      if (workers >= shape.workers()) {
        break;
      }
      workers += site.workers();
      entitled += site.entitled();
      nonPreemptible += site.nonPreemptible();
      protectedJobs += site.protectedJobs();
      owners.addAll(site.owners());
      Instant its = site.protectedUntil();
      until = until == null || (its != null && its.isBefore(until)) ? its : until;
    }
    Obstacle found =
        new Obstacle(
            entitled, nonPreemptible, protectedJobs, Optional.ofNullable(until), Optional.empty());
    return workers >= shape.workers() && found.isAny()
        ? Optional.of(new Found(found, owners))
        : Optional.empty();
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
    int entitled = 0;
    int nonPreemptible = 0;
    int protectedJobs = 0;
    Instant protectedUntil = null;
    Set<PolicyAccount> owners = new HashSet<>();
    for (LiveAttempt attempt : workers == 0 ? List.<LiveAttempt>of() : attempts) {
      Instant until = attempt.protectedUntil();
      if (!attempt.claim().preemptible()) {
        nonPreemptible++;
      } else if (isEntitled(attempt, taken)) {
        entitled++;
      } else if (until.isAfter(now)) {
        protectedJobs++;
        protectedUntil =
            protectedUntil == null || until.isBefore(protectedUntil) ? until : protectedUntil;
      } else {
        taken.path(attempt.levels()).remove(attempt.takenUnits());
        continue;
      }
      units += attempt.takenUnits();
      owners.add(attempt.policy());
    }
    return new Site(
        workers, units, entitled, nonPreemptible, protectedJobs, protectedUntil, owners);
  }

  /// Whether its levels would entitle it without those that may go before it.
  private static boolean isEntitled(LiveAttempt attempt, RemovedUsage taken) {
    return taken.path(attempt.levels()).standing() == Standing.ENTITLED;
  }
}
