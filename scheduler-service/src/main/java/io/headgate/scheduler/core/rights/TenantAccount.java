package io.headgate.scheduler.core.rights;

import io.headgate.scheduler.core.catalog.PoolId;
import io.headgate.scheduler.core.catalog.TenantId;
import io.headgate.scheduler.core.catalog.TenantShare;
import io.headgate.scheduler.core.job.PreemptionGrounds;
import io.headgate.type.GpuQuantity;
import org.jspecify.annotations.Nullable;

/// One tenant's rights and usage in one pool, in units of 1/126000 GPU (A3). A policy's rights
/// cover all its pools; a tenant's cover one.
///
/// While no tenant has a share in a pool, this level does not exist there and policies alone
/// decide. Once some tenant has a share, every tenant is *bound* in the pool. A tenant without a
/// share then has a reservation of 0 and no limit: it uses idle capacity. Then:
///
/// - *Limit.* A job starts in the pool only if its tenant stays within its limit there, as under a
///   ceiling of the pool (A7). An entitled job makes room in that limit from its own tenant.
///   Otherwise one policy could fill the tenant's limit and void the reservations of the others.
/// - *Entitled* is a job whose policy *and* whose tenant in the pool end within their reservations.
///   So a tenant takes back no more than its policies were promised, and a policy no more than its
///   tenant.
/// - *Between tenants* only entitled jobs preempt, and only from tenants above their reservation
///   just before each removal. The victim's policy plays no part. So how a tenant divides its
///   reservation neither takes from others nor keeps from others what they were promised.
/// - *Within a tenant* P1 and P2 apply as without this level. That includes a job whose policy is
///   within its reservation and whose tenant is not: it takes nothing from others. Ranks (O3, P7)
///   count among jobs of one tenant only.
/// - *Order.* The worse of the two standings counts, then the pool's execution priority (O2). Then
///   comes the tenant with the smaller share of the pool (O4), then ranks (O3) and shares within a
///   tenant. The tenant's share precedes the ranks, because each tenant sets its own. Victims come
///   in the reverse order.
/// - *Non-preemptible* jobs of a tenant stay within its reservation there (A8), because no job
///   could ever take their capacity back. Only pools with such room are open to them, whatever
///   idles elsewhere, and others of their queue pass them.
///
/// Preemption always ends. Order states by (sum of policies' over-reservation usage, sum of
/// tenants'). A preemption within a tenant lowers the first sum. One between tenants lowers the
/// second and raises neither: the taker ends within both reservations, and the loser only has less.
/// Only a start on free capacity raises a sum.
///
/// Usage is counted as for policies: see [Account].
public final class TenantAccount extends Account {
  private static final long NO_LIMIT = Long.MAX_VALUE;

  private final TenantId tenant;
  private final PoolId pool;
  private boolean bound;
  private long reservation;
  private long limit = NO_LIMIT;
  private int weight = 1;

  TenantAccount(TenantId tenant, PoolId pool) {
    this.tenant = tenant;
    this.pool = pool;
  }

  public TenantId tenant() {
    return tenant;
  }

  public PoolId pool() {
    return pool;
  }

  /// @param isBound whether tenants share the pool
  /// @param share the tenant's; null: it has none
  void configure(boolean isBound, @Nullable TenantShare share) {
    bound = isBound;
    reservation = share == null ? 0 : share.reservation().units();
    limit = share == null ? NO_LIMIT : share.limit().map(GpuQuantity::units).orElse(NO_LIMIT);
    weight = share == null ? 1 : share.weight();
  }

  /// Whether tenants share the pool, so that this level is there.
  public boolean isBound() {
    return bound;
  }

  /// Whether there is a most that it may use.
  public boolean isLimited() {
    return limit != NO_LIMIT;
  }

  @Override
  public long reservation() {
    return reservation;
  }

  /// [Long#MAX_VALUE] when there is none.
  @Override
  public long limit() {
    return limit;
  }

  @Override
  int weight() {
    return weight;
  }

  /// The present usage and reservation, for the grounds of a preemption.
  public PreemptionGrounds.TenantShare share() {
    return new PreemptionGrounds.TenantShare(
        tenant, new GpuQuantity(usageWithoutStopping()), new GpuQuantity(reservation));
  }

  /// Whether the limit lets a job of this need start now.
  public boolean hasRoom(long need) {
    return need == 0 || need <= limit - charged();
  }

  /// By how much the limit would be exceeded with this much more, once everything that stops has
  /// stopped; 0 or less: it would not. Capacity held for blocked jobs counts as used (O7).
  public long excessSoon(long need) {
    return isLimited() && need > 0
        ? usageWithoutStopping() + heldForBlocked() + need - limit
        : Long.MIN_VALUE / 2;
  }

  /// Whether a non-preemptible job may start beside the others (A8).
  public boolean admitsNonPreemptible(long need) {
    return !bound || need == 0 || nonPreemptible() + need <= reservation;
  }

  /// Whether those that there are stay within the reservation.
  public boolean keepsNonPreemptible() {
    return !bound || nonPreemptible() <= reservation;
  }

  /// Whether the tenant would be at or below its reservation with a job more.
  public boolean isEntitled(long need) {
    return !bound || usageWithoutStopping() + need <= reservation;
  }

  /// The standing of the tenant with one more job of this need.
  public Standing standingWith(long need) {
    if (isEntitled(need)) {
      return Standing.ENTITLED;
    }
    return hasRoom(need) ? Standing.OVER_RESERVATION : Standing.ABOVE_LIMIT;
  }

  @Override
  public Standing standingWithout(long taken) {
    return bound ? super.standingWithout(taken) : Standing.ENTITLED;
  }

  /// None where tenants do not share the pool.
  @Override
  public long over(long taken) {
    return bound ? super.over(taken) : 0;
  }

  @Override
  public String toString() {
    return tenant + " in " + pool;
  }
}
