package io.headgate.scheduler.core.rights;

import io.headgate.scheduler.core.catalog.PoolId;
import io.headgate.scheduler.core.catalog.TenantId;
import io.headgate.scheduler.core.catalog.TenantShare;
import io.headgate.scheduler.core.job.Grounds;
import io.headgate.type.GpuQuantity;
import org.jspecify.annotations.Nullable;

/// One tenant's rights and usage in one pool, in units of 1/126000 GPU (DESIGN A3). A policy's
/// rights are over all its pools, a tenant's are in one.
///
/// A pool for which no tenant has a share is nobody's but its owner's: this level is not there, and
/// everything is as the policies say. Once some tenant has one, every tenant is *bound* in the
/// pool, and one without a share has a reservation of 0 and no limit: it uses what idles. Then:
///
/// - *Limit.* A job starts in the pool only if its tenant stays at or below its limit there, as
///   under a ceiling of the pool (A7) of its own. An entitled job makes room in it as it does under
///   the ceiling, from its own tenant; a tenant's policies would else have no reservations once
///   another of them has filled the limit.
/// - *Entitled* is a job whose policy *and* whose tenant in the pool end at or below their
///   reservations. So a tenant takes back no more than its policies were promised, and no policy
///   more than its tenant.
/// - *Between tenants* only entitled jobs preempt, and only from tenants that are above their
///   reservation just before each removal; whether a policy in there is above its own plays no part
///   either way. What was promised to a tenant is so neither taken from it nor kept from it by how
///   another divides its own.
/// - *Within a tenant* it goes as without this level (P1, P2), also for a job whose policy is at or
///   below its reservation and whose tenant is not: it takes nothing from others. Ranks (O3, P7)
///   are a tenant's own affair and count among its jobs only.
/// - *Order.* Entitled at both levels comes first (the worse of the two standings counts), then
///   execution priority (O2), which is the pool's; then of two tenants the one with less
///   over-reservation usage ÷ weight in the pool (O4), then ranks and shares within a tenant.
///   Victims go in the reverse.
/// - *Non-preemptible* jobs of a tenant stay within its reservation there (A8): nobody could ever
///   take back what they use. Of several pools those are open to them where it has room; there they
///   wait, hold and preempt, whatever idles elsewhere, and others of their queue pass them.
///
/// Nothing is preempted for ever: order states by (sum of policies' over-reservation usage, sum of
/// tenants'). A preemption within a tenant lowers the first; one between tenants lowers the second
/// and raises neither, for who takes ends within both reservations and who loses only has less. As
/// in the single case only a start on free capacity raises either.
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

  /// What stands of its reservation now, to be told.
  public Grounds.TenantShare share() {
    return new Grounds.TenantShare(
        tenant, new GpuQuantity(standing()), new GpuQuantity(reservation));
  }

  /// Whether the limit lets so much more start now.
  public boolean hasRoom(long need) {
    return need == 0 || need <= limit - charged();
  }

  /// How much above the limit so much more would be when everything that stops has stopped; not
  /// above it: 0 or less. What is held for long-blocked jobs keeps its room (DESIGN O7).
  public long excessSoon(long need) {
    return isLimited() && need > 0
        ? standing() + heldForBlocked() + need - limit
        : Long.MIN_VALUE / 2;
  }

  /// Whether a job that nobody may preempt may start beside the others (DESIGN A8).
  public boolean admitsNonPreemptible(long need) {
    return !bound || need == 0 || nonPreemptible() + need <= reservation;
  }

  /// Whether those that there are stay within the reservation.
  public boolean keepsNonPreemptible() {
    return !bound || nonPreemptible() <= reservation;
  }

  /// Whether the tenant would be at or below its reservation with a job more.
  public boolean isEntitled(long need) {
    return !bound || standing() + need <= reservation;
  }

  /// Where the tenant would stand with a job more that needs so much.
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
