package io.headgate.scheduler.core.preemption;

import io.headgate.scheduler.core.catalog.Reclaim;
import io.headgate.scheduler.core.job.PreemptionRule;
import io.headgate.scheduler.core.queue.LiveAttempt;
import io.headgate.scheduler.core.queue.RoomRequest;
import io.headgate.scheduler.core.queue.Route;
import io.headgate.scheduler.core.rights.Account;
import io.headgate.scheduler.core.rights.TenantAccount;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;

/// Which sets of candidates may go together for a job in one pool (P2, P7).
///
/// Each victim belongs to a unit that must be above its reservation just before the victim is
/// removed: its policy, or for a victim of another tenant that tenant. A set is permitted if its
/// members can go in some order. To let the largest member of each unit go last serves best: then a
/// unit that is over by `over` may lose any set whose units without the largest member are below
/// `over`. Where the unit may not end below its reservation (`reclaim: strict`, P7), the set may
/// have `over` at most.
///
/// So each part of a permitted set is permitted, too.
///
/// A policy over by 4 may lose jobs of 1, 2 and 3: 1 and 2 go first, then 3, as 1 is left above the
/// reservation. It may not lose 2, 2 and 3, of which the last would go from a policy at its
/// reservation.
final class Permission {
  private final TenantAccount own;
  private final boolean keepsReservation;
  private final Map<Account, Loss> losses = new HashMap<>();

  private static final class Loss {
    long units;
    long largest;
  }

  Permission(RoomRequest request, Route route) {
    this.own = route.tenant();
    this.keepsReservation = keepsReservation(request);
  }

  /// Whether no policy and no tenant may end below its reservation.
  static boolean keepsReservation(RoomRequest request) {
    return request.reclaim() == Reclaim.STRICT || request.rule() == PreemptionRule.P7;
  }

  /// Whether these may go together.
  boolean permits(Collection<Candidate> victims) {
    losses.clear();
    for (Candidate victim : victims) {
      long units = victim.attempt().takenUnits();
      if (units > 0) {
        Loss loss = losses.computeIfAbsent(unit(victim.attempt()), unit -> new Loss());
        loss.units += units;
        loss.largest = Math.max(loss.largest, units);
      }
    }
    for (Map.Entry<Account, Loss> each : losses.entrySet()) {
      long over = each.getKey().over(0);
      Loss loss = each.getValue();
      if (keepsReservation ? loss.units > over : loss.units - loss.largest >= over) {
        return false;
      }
    }
    return true;
  }

  /// The largest candidate of each unit, in the order of the candidates.
  Collection<Candidate> largest(Collection<Candidate> candidates) {
    Map<Account, Candidate> largest = new HashMap<>();
    for (Candidate candidate : candidates) {
      largest.merge(
          unit(candidate.attempt()),
          candidate,
          (one, other) -> other.attempt().takenUnits() > one.attempt().takenUnits() ? other : one);
    }
    return largest.values().stream().sorted(Comparator.comparingInt(Candidate::place)).toList();
  }

  private Account unit(LiveAttempt victim) {
    TenantAccount tenant = victim.tenant();
    return tenant.isBound() && tenant != own ? tenant : victim.policy();
  }
}
