package io.headgate.scheduler.core.preemption;

import io.headgate.scheduler.core.catalog.Reclaim;
import io.headgate.scheduler.core.job.PreemptionRule;
import io.headgate.scheduler.core.queue.RoomRequest;
import io.headgate.scheduler.core.queue.Route;
import io.headgate.scheduler.core.rights.Account;
import io.headgate.scheduler.core.rights.RemovedUsage;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/// Which sets of candidates may go together for a job in one pool (P2, P7).
///
/// Each victim belongs to a *unit*: its level directly below the lowest one that it shares with the
/// job. That unit must be above its reservation just before the victim is removed, and the victim
/// must not be entitled by its levels up to the unit. A set is permitted if its members can go in
/// some order. Where no level may end below its reservation (`reclaim: strict`, P7), every order
/// gives the same answer.
///
/// Where all units are policies, to let the largest member of each unit go last serves best. Then a
/// unit that is over by `over` may lose any set whose units without the largest member are below
/// `over`. A policy over by 4 may lose jobs of 1, 2 and 3: 1 and 2 go first, then 3, as 1 is left
/// above the reservation. It may not lose 2, 2 and 3, of which the last would go from a policy at
/// its reservation.
///
/// So each part of a permitted set is permitted, too. Whether the job is entitled without exactly
/// these victims is asked by [RemovalTrial].
final class Permission {
  /// Sets of up to this many victims are tried in all orders.
  private static final int MAX_IN_ALL_ORDERS = 8;

  private final PreemptionRule rule;
  private final Route route;
  private final boolean keepsReservation;
  private final Map<Account, Loss> losses = new HashMap<>();

  private static final class Loss {
    long units;
    long largest;
  }

  Permission(RoomRequest request, Route route) {
    this.rule = request.rule();
    this.route = route;
    this.keepsReservation = keepsReservation(request);
  }

  /// The level of a victim that must be above its reservation. Under P7 it is the policy.
  static int unit(RemovedUsage.Path victim, PreemptionRule rule, Route route) {
    return rule == PreemptionRule.P7 ? 0 : victim.unitBeside(route.upper());
  }

  /// Whether no policy and no tenant may end below its reservation.
  static boolean keepsReservation(RoomRequest request) {
    return request.reclaim() == Reclaim.STRICT || request.rule() == PreemptionRule.P7;
  }

  /// Whether these may go together.
  boolean permits(Collection<Candidate> victims) {
    RemovedUsage removals = new RemovedUsage();
    List<Leaving> leaving = new ArrayList<>(victims.size());
    boolean arePolicies = true;
    for (Candidate victim : victims) {
      if (victim.attempt().takenUnits() > 0) {
        RemovedUsage.Path levels = removals.path(victim.attempt().levels());
        int unit = unit(levels, rule, route);
        leaving.add(new Leaving(levels, unit, victim));
        arePolicies &= unit == 0;
      }
    }
    if (keepsReservation) {
      return mayKeep(leaving);
    }
    if (arePolicies) {
      return policiesMayLose(leaving);
    }
    leaving.sort(
        Comparator.comparingLong(Leaving::units)
            .thenComparingInt(victim -> victim.candidate().place()));
    return mayGoInTurn(leaving)
        || (leaving.size() <= MAX_IN_ALL_ORDERS
            && mayGoInSomeOrder(leaving, (1 << leaving.size()) - 1, new HashSet<>()));
  }

  /// A victim with its unit.
  private record Leaving(RemovedUsage.Path levels, int unit, Candidate candidate) {
    long units() {
      return candidate.attempt().takenUnits();
    }

    Account account() {
      return levels.account(unit);
    }
  }

  private static boolean mayKeep(List<Leaving> leaving) {
    leaving.forEach(victim -> victim.levels().remove(victim.units()));
    return leaving.stream().allMatch(victim -> victim.levels().mayLoseAndKeep(victim.unit(), 0));
  }

  private boolean policiesMayLose(List<Leaving> leaving) {
    losses.clear();
    for (Leaving victim : leaving) {
      Loss loss = losses.computeIfAbsent(victim.account(), unit -> new Loss());
      loss.units += victim.units();
      loss.largest = Math.max(loss.largest, victim.units());
    }
    for (Map.Entry<Account, Loss> each : losses.entrySet()) {
      if (each.getValue().units - each.getValue().largest >= each.getKey().over(0)) {
        return false;
      }
    }
    return true;
  }

  private static boolean mayGoInTurn(List<Leaving> leaving) {
    boolean all = true;
    int gone = 0;
    while (all && gone < leaving.size()) {
      Leaving victim = leaving.get(gone);
      all = victim.levels().mayLose(victim.unit());
      if (all) {
        victim.levels().remove(victim.units());
        gone++;
      }
    }
    leaving.subList(0, gone).forEach(victim -> victim.levels().remove(-victim.units()));
    return all;
  }

  /// @param left the victims that are still there, as bits
  /// @param failed what was left when no order worked
  private static boolean mayGoInSomeOrder(List<Leaving> leaving, int left, Set<Integer> failed) {
    if (left == 0) {
      return true;
    }
    if (failed.contains(left)) {
      return false;
    }
    for (int i = 0; i < leaving.size(); i++) {
      Leaving victim = leaving.get(i);
      if ((left & 1 << i) != 0 && victim.levels().mayLose(victim.unit())) {
        victim.levels().remove(victim.units());
        boolean all = mayGoInSomeOrder(leaving, left & ~(1 << i), failed);
        victim.levels().remove(-victim.units());
        if (all) {
          return true;
        }
      }
    }
    failed.add(left);
    return false;
  }

  /// The largest candidate of each unit, in the order of the candidates.
  Collection<Candidate> largest(Collection<Candidate> candidates) {
    RemovedUsage none = new RemovedUsage();
    Map<Account, Candidate> largest = new HashMap<>();
    for (Candidate candidate : candidates) {
      RemovedUsage.Path levels = none.path(candidate.attempt().levels());
      largest.merge(
          levels.account(unit(levels, rule, route)),
          candidate,
          (one, other) -> other.attempt().takenUnits() > one.attempt().takenUnits() ? other : one);
    }
    return largest.values().stream().sorted(Comparator.comparingInt(Candidate::place)).toList();
  }
}
