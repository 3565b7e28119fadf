package io.headgate.scheduler.core.queue;

import io.headgate.scheduler.core.rights.PolicyAccount;
import io.headgate.scheduler.core.rights.ShareList;
import io.headgate.scheduler.core.rights.Standing;
import org.jspecify.annotations.Nullable;

/// The part of a turn's place in the order that depends on the pool: standing (O1), execution
/// priority (O2), and the tenant's share (O4). The tenant's share precedes the ranks, which each
/// tenant sets for itself.
final class TurnPlace {
  /// By all levels ([io.headgate.scheduler.core.rights.Levels]).
  private Standing standing = Standing.ENTITLED;

  /// The share of the tenant in the pool; 0 where tenants do not share it.
  private final ShareList ofTenant = new ShareList();

  /// The group whose route it follows; null: it is on one of its own.
  private @Nullable RouteGroup group;

  private @Nullable Route at;

  /// Follows the group of the queue, in pools that tenants do not share.
  ///
  /// @param withJob the standing of the policy with the job, below the tenant
  void follow(RouteGroup ofQueue, Standing withJob) {
    group = ofQueue;
    standing = withJob;
    ofTenant.clear();
    ofTenant.addZero();
  }

  /// Is in the pool of the route from now on.
  void set(Route route, PolicyAccount policy) {
    group = null;
    at = route;
    standing = route.levels(policy).standingWith(route.need());
    ofTenant.clear();
    if (route.tenant().isBound()) {
      ofTenant.add(route.tenant(), standing, route.need());
    } else {
      ofTenant.addZero();
    }
  }

  Standing standing() {
    return standing;
  }

  private @Nullable Route route() {
    return group == null ? at : group.first();
  }

  /// Negative when this one comes first, positive when the other does.
  int comparedWith(TurnPlace other) {
    if (standing != other.standing) {
      return standing.compareTo(other.standing);
    }
    Route mine = route();
    Route others = other.route();
    if (mine != null && others != null) {
      int positions = Integer.compare(mine.position(), others.position());
      if (positions != 0) {
        return positions;
      }
    }
    return ofTenant.comparedWith(other.ofTenant);
  }
}
