package io.headgate.scheduler.core.preemption;

import io.headgate.scheduler.core.catalog.Reclaim;
import io.headgate.scheduler.core.job.Assignment;
import io.headgate.scheduler.core.job.PreemptionRule;
import io.headgate.scheduler.core.placement.PoolState;
import io.headgate.scheduler.core.queue.LiveAttempt;
import io.headgate.scheduler.core.queue.RoomRequest;
import io.headgate.scheduler.core.queue.Route;
import io.headgate.scheduler.core.rights.PolicyAccount;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/// Makes room for a job that fits nowhere (P1-P4, P7, P9).
///
/// 1. If the job fits once everything that already stops has stopped, it waits for that: there are
///    no victims.
/// 2. Otherwise victims are taken in their order, suspended ones first, over all its pools, until
///    it fits in one of them: the shortest prefix.
/// 3. From the prefix, the fewest victims and then the least lost work are chosen; all others are
///    given back.
///
/// Example: R&D has 9 of 10 with three jobs of 3, reservation 5. DevOps asks for 3. 1 is idle; the
/// last started of R&D (9 > 5) makes it 4, and the job fits: one victim. Then DevOps asks for 2. 1
/// is idle; R&D has 6 > 5, so its last started goes, and R&D ends at 3, below its reservation.
public final class PreemptionSearch {
  /// The outcome of a search.
  public sealed interface Result {
    /// The job can have the place when the victims have left it.
    ///
    /// @param victims to be asked to stop, in the order of [VictimWalk]; none when it only waits
    ///   for those that stop anyway
    record Found(PoolState pool, Assignment place, List<LiveAttempt> victims) implements Result {}

    /// No permitted victims make room.
    ///
    /// @param retryAt when the protection of a skipped attempt ends
    /// @param gaveUp whether the search ended at its bound, so that room may exist nevertheless
    record NotFound(Optional<Instant> retryAt, boolean gaveUp) implements Result {}
  }

  /// Bounds the walk; a step costs about a microsecond.
  public static final int MAX_STEPS = 200_000;

  private final PossibleVictims possibleVictims;
  private final Instant now;
  private final int maxSteps;
  private final Map<OrderKey, VictimOrder> orders = new HashMap<>();

  /// The key on which the order of victims depends under P1.
  private record OrderKey(Set<PoolState> pools, Reclaim reclaim) {}

  /// A search, or several as long as nothing changes except that entitled jobs start. Their starts
  /// leave the order of victims unchanged, and free capacity only shrinks.
  ///
  /// @param maxSteps bounds each search; [#MAX_STEPS]
  public PreemptionSearch(PossibleVictims possibleVictims, Instant now, int maxSteps) {
    this.possibleVictims = possibleVictims;
    this.now = now;
    this.maxSteps = maxSteps;
  }

  /// Finds a place and the victims that have to leave it.
  public Result search(RoomRequest request) {
    PolicyAccount limited = request.rule() == PreemptionRule.P9 ? request.account() : null;
    List<RemovalTrial> trials = new ArrayList<>();
    for (Route route : request.routes()) {
      RemovalTrial trial = new RemovalTrial(route, limited);
      if (trial.fits()) {
        return new Result.Found(route.pool(), trial.place(), List.of());
      }
      trials.add(trial);
    }
    VictimOrder order = order(request);
    if (limited == null && trials.stream().allMatch(order::isKnownNotToSuffice)) {
      return new Result.NotFound(order.protectedUntil(), false);
    }
    Map<RemovalTrial, List<LiveAttempt>> prefixes = new HashMap<>();
    for (int steps = 0; steps < maxSteps; steps++) {
      LiveAttempt victim = order.get(steps);
      if (victim == null) {
        return new Result.NotFound(order.protectedUntil(), false);
      }
      List<RemovalTrial> fitting = new ArrayList<>();
      for (RemovalTrial trial : trials) {
        // Elsewhere a victim helps only where it makes room in the limit.
        if (trial.pool() == victim.pool() || limited != null) {
          prefixes.computeIfAbsent(trial, key -> new ArrayList<>()).add(victim);
          trial.remove(victim);
          if (trial.fits()) {
            fitting.add(trial);
          }
        }
      }
      if (!fitting.isEmpty()) {
        return cheapest(fitting, prefixes);
      }
    }
    return new Result.NotFound(order.protectedUntil(), true);
  }

  /// A victim that makes room in the limit may complete the prefix in several pools: of these the
  /// one with the fewest victims, then the least lost work, then the first in routing order.
  private Result cheapest(
      List<RemovalTrial> fitting, Map<RemovalTrial, List<LiveAttempt>> prefixes) {
    RemovalTrial best = null;
    List<LiveAttempt> fewest = List.of();
    for (RemovalTrial trial : fitting) {
      List<LiveAttempt> prefix = Objects.requireNonNull(prefixes.get(trial));
      List<LiveAttempt> victims = VictimChoice.choose(trial, prefix, now);
      if (best == null
          || victims.size() < fewest.size()
          || (victims.size() == fewest.size() && lost(victims) < lost(fewest))) {
        best = trial;
        fewest = victims;
      }
    }
    RemovalTrial chosen = Objects.requireNonNull(best);
    return new Result.Found(chosen.pool(), chosen.place(), fewest);
  }

  private double lost(List<LiveAttempt> victims) {
    double sum = 0;
    for (LiveAttempt victim : victims) {
      sum += victim.lostWork(now);
    }
    return sum;
  }

  private VictimOrder order(RoomRequest request) {
    return switch (request.rule()) {
      case P1 -> {
        // Where attempts of the job's policy are suspended, victims depend on the job; where
        // tenants share, also on starts (A3).
        if (request.group().isShared() || request.job() != null) {
          yield new VictimOrder(new VictimWalk(possibleVictims, request, now));
        }
        yield orders.computeIfAbsent(
            new OrderKey(request.group().pools(), request.reclaim()),
            key -> new VictimOrder(new VictimWalk(possibleVictims, request, now)));
      }
      case P7 -> new VictimOrder(new VictimWalk(possibleVictims, request, now));
      case P9 ->
          new VictimOrder(
              new WithinPolicyWalk(
                  possibleVictims,
                  Objects.requireNonNull(request.account()),
                  request.priority(),
                  now));
    };
  }
}
