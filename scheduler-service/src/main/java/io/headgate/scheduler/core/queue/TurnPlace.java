package io.headgate.scheduler.core.queue;

import io.headgate.scheduler.core.rights.PolicyAccount;
import io.headgate.scheduler.core.rights.ShareList;
import io.headgate.scheduler.core.rights.Standing;
import io.headgate.scheduler.core.rights.UseHistory;
import org.jspecify.annotations.Nullable;

/// The part of a turn's place in the order that may depend on the pool: standing (O1), execution
/// priority (O2), rank (O3), and shares (O4). The tenant's share precedes the ranks, which each
/// tenant sets for itself.
final class TurnPlace {
  /// A queue, as far as its places go.
  interface Contender {
    /// The group of its routes.
    RouteGroup group();

    /// The policy that its jobs count on.
    PolicyAccount account();

    /// Units of GPU that a job needs.
    long need();

    /// The rank (O3).
    int rank();
  }

  private final Contender queue;

  /// By all levels ([io.headgate.scheduler.core.rights.Levels]).
  private Standing standing = Standing.ENTITLED;

  /// The share of the tenant in the pool; 0 where tenants do not share it.
  private final ShareList ofTenant = new ShareList();

  /// The shares of the levels below the tenant.
  private final ShareList within = new ShareList();

  /// The group whose route it follows; null: it is on one of its own.
  private @Nullable RouteGroup group;

  private @Nullable Route at;

  /// Whether the job counts as first by O2 and O3 in the pool (O7).
  private boolean promoted;

  TurnPlace(Contender queue) {
    this.queue = queue;
  }

  /// Follows the group of the queue, whose pools differ by execution priority only.
  ///
  /// @param withJob the standing of the policy with the job
  void follow(Standing withJob) {
    followAgain(withJob);
    within.clear();
    within.addWithDepartments(queue.account(), standing, queue.need(), UseHistory.NONE);
  }

  /// As [#follow], while the shares below the tenant are as they were.
  void followAgain(Standing withJob) {
    group = queue.group();
    promoted = false;
    standing = withJob;
    ofTenant.clear();
    ofTenant.addZero();
  }

  /// Is in the pool of the route from now on.
  void set(Route route, boolean isPromoted) {
    group = null;
    at = route;
    promoted = isPromoted;
    standing = route.levels(queue.account()).standingWith(route.need());
    UseHistory history = route.tenant().history();
    ofTenant.clear();
    if (route.tenant().isBound()) {
      ofTenant.add(route.tenant(), standing, route.need(), history);
    } else {
      ofTenant.addZero();
    }
    within.clear();
    within.addWithDepartments(queue.account(), standing, queue.need(), history);
  }

  Standing standing() {
    return standing;
  }

  boolean isPromoted() {
    return promoted;
  }

  @Nullable Route route() {
    return group == null ? at : group.first();
  }

  private int position(Route route) {
    return promoted ? -1 : route.position();
  }

  private int rank() {
    return promoted ? Integer.MIN_VALUE : queue.rank();
  }

  /// Negative when this one comes first, positive when the other does.
  int comparedWith(TurnPlace other) {
    if (standing != other.standing) {
      return standing.compareTo(other.standing);
    }
    Route mine = route();
    Route others = other.route();
    if (mine != null && others != null) {
      int positions = Integer.compare(position(mine), other.position(others));
      if (positions != 0) {
        return positions;
      }
    }
    int tenants = ofTenant.comparedWith(other.ofTenant);
    if (tenants != 0) {
      return tenants;
    }
    int ranks = Integer.compare(rank(), other.rank());
    return ranks != 0 ? ranks : within.comparedWith(other.within);
  }
}
