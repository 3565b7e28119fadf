package io.headgate.scheduler.core.preemption;

import io.headgate.scheduler.core.placement.PoolState;
import io.headgate.scheduler.core.preemption.PossibleVictims.Rank;
import io.headgate.scheduler.core.queue.RoomRequest;
import io.headgate.scheduler.core.queue.Route;
import io.headgate.scheduler.core.rights.TenantAccount;
import java.util.Objects;

/// Compares possible victims with the job that asks, by execution priority in the victims' pool
/// (O2), then by the ranks of the queues (O3).
final class RankComparison {
  private final RoomRequest request;

  RankComparison(RoomRequest request) {
    this.request = request;
  }

  /// Whether jobs of other policies may go by the right that the job has over them.
  boolean allow(Route route, Rank victims, boolean areOfOtherTenant) {
    return switch (request.rule()) {
      case P1 -> true;
      case P7 -> !areOfOtherTenant && isLast(route, victims);
      // Ranks count within a tenant only.
      case P10 ->
          areOfOtherTenant
              ? comparePositions(route.pool(), victims) >= 0
              : !isFirst(route.pool(), victims);
      case P9, P11 -> false;
    };
  }

  /// Whether suspended ones may be stopped.
  boolean allowToEnd(Route route, Rank suspended, TenantAccount tenant) {
    boolean isOfOtherTenant = route.tenant().isBound() && tenant != route.tenant();
    return switch (request.rule()) {
      case P1 -> true;
      case P7 -> !isOfOtherTenant && isLast(route, suspended);
      case P9, P10, P11 -> false;
    };
  }

  private boolean isLast(Route route, Rank victims) {
    int position = route.pool().executionPosition(victims.profile());
    return victims.policy() != request.account()
        && (position > route.position()
            || (position == route.position() && victims.queue().rank() > request.rank()));
  }

  /// Whether these come before the job, so that they may not go by P9.
  boolean isFirst(PoolState pool, Rank victims) {
    int order = comparePositions(pool, victims);
    return order < 0 || (order == 0 && victims.queue().rank() < request.rank());
  }

  private int comparePositions(PoolState pool, Rank victims) {
    return Integer.compare(
        pool.executionPosition(victims.profile()),
        pool.executionPosition(Objects.requireNonNull(request.profile())));
  }
}
