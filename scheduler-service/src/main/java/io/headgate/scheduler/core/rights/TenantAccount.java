package io.headgate.scheduler.core.rights;

import io.headgate.scheduler.core.catalog.PoolId;
import io.headgate.scheduler.core.catalog.TenantId;
import io.headgate.scheduler.core.catalog.TenantShare;
import io.headgate.scheduler.core.job.PastUse;
import io.headgate.scheduler.core.job.PreemptionGrounds;
import io.headgate.type.GpuQuantity;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// One tenant's rights and usage in one pool, in units of 1/126000 GPU (A3). A policy's rights
/// cover all its pools; a tenant's cover one.
///
/// While no tenant has a share in a pool, this level does not exist there and policies alone
/// decide. Once some tenant has a share, every tenant is *bound* in the pool. A tenant without a
/// share then has a reservation of 0 and no limit: it uses idle capacity. A share without a
/// reservation reserves the sum of the reservations of the tenant's members. Then:
///
/// - *Limit.* A job starts in the pool only if its tenant stays within its limit there, as under a
///   ceiling of the pool (A7). An entitled job makes room in that limit from its own tenant.
///   Otherwise one policy could fill the tenant's limit and void the reservations of the others.
/// - *Standing and victims* follow from all levels: see [Levels].
/// - *Order.* After the standing and the pool's execution priority (O2) comes the tenant with the
///   smaller share of the pool (O4), then ranks (O3) and shares within a tenant. The tenant's share
///   precedes the ranks, because each tenant sets its own. Victims come in the reverse order. Ranks
///   (O3, P7) count among jobs of one tenant only.
/// - *Non-preemptible* jobs of a tenant stay within its reservation there (A8), because no job
///   could ever take their capacity back. Only pools with such room are open to them, whatever
///   idles elsewhere, and others of their queue pass them.
///
/// A policy's rights cover all its pools. So that use elsewhere costs a tenant nothing here, only a
/// policy's usage in this pool counts in the tenant's protected usage.
public final class TenantAccount extends Account {
  private static final long NO_LIMIT = Long.MAX_VALUE;

  private final TenantId tenant;
  private final PoolId pool;
  private final UseHistory history;
  private final PastUse.Level level;
  private boolean bound;
  private long reservation;
  private long limit = NO_LIMIT;
  private int weight = 1;
  private long protectedUsage;

  /// The usage of each policy in the pool; null: it is not counted, because the tenant is not
  /// bound.
  private @Nullable Map<PolicyAccount, Long> usageOf;

  /// @param history of the pool
  TenantAccount(TenantId tenant, PoolId pool, UseHistory history) {
    this.tenant = tenant;
    this.pool = pool;
    this.history = history;
    this.level = new PastUse.Level.OfTenant(tenant);
  }

  public TenantId tenant() {
    return tenant;
  }

  public PoolId pool() {
    return pool;
  }

  /// The past use in the pool.
  public UseHistory history() {
    return history;
  }

  /// @param isBound whether tenants share the pool
  /// @param share the tenant's; null: it has none
  /// @param ofMembers what a share without a reservation reserves
  void configure(boolean isBound, @Nullable TenantShare share, long ofMembers) {
    changed();
    bound = isBound;
    usageOf = bound ? usageOf : null;
    reservation = share == null ? 0 : share.reservation().map(GpuQuantity::units).orElse(ofMembers);
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
  public PastUse.Level level() {
    return level;
  }

  @Override
  int weight() {
    return weight;
  }

  /// The sum over its policies: of each the smaller of its usage in the pool and its reservation.
  @Override
  public long protectedUsage() {
    return protectedUsage;
  }

  /// Whether the usage of each policy must be counted, as the tenant was not bound until now: then
  /// [#count] must follow for all.
  public boolean mustCount() {
    return bound && usageOf == null;
  }

  /// Begins to count the usage of each policy.
  public void beginCount() {
    usageOf = new HashMap<>();
    protectedUsage = 0;
  }

  /// Counts more or less usage of a policy in the pool.
  public void count(PolicyAccount policy, long units) {
    if (usageOf != null && units != 0) {
      long before = usageOf.getOrDefault(policy, 0L);
      if (before + units == 0) {
        usageOf.remove(policy);
      } else {
        usageOf.put(policy, before + units);
      }
      protectedUsage +=
          Math.min(before + units, policy.reservation()) - Math.min(before, policy.reservation());
    }
  }

  /// The usage of a policy in the pool; 0 where tenants do not share it.
  long usageOf(PolicyAccount policy) {
    return usageOf == null ? 0 : usageOf.getOrDefault(policy, 0L);
  }

  /// The units that a start of a policy's job in the pool would add to the protected usage.
  public long addedToProtected(PolicyAccount policy, long need) {
    long used = usageOf(policy);
    return Math.min(used + need, policy.reservation()) - Math.min(used, policy.reservation());
  }

  /// The reservations of policies are others now.
  void renewProtected() {
    protectedUsage = 0;
    if (usageOf != null) {
      // In no order: a sum.
      usageOf.forEach((policy, units) -> protectedUsage += Math.min(units, policy.reservation()));
    }
  }

  /// The present usage and reservation, for the grounds of a preemption.
  public PreemptionGrounds.TenantShare share() {
    return new PreemptionGrounds.TenantShare(
        tenant, new GpuQuantity(usageWithoutStopping()), new GpuQuantity(reservation));
  }

  /// Whether those non-preemptible jobs that there are stay within the reservation.
  public boolean keepsNonPreemptible() {
    return !bound || nonPreemptible() <= reservation;
  }

  /// Whether a non-preemptible job may start beside the others (A8).
  public boolean admitsNonPreemptible(long need) {
    return !bound || need == 0 || nonPreemptible() + need <= reservation;
  }

  /// Whether the limit lets a job of this need start now.
  public boolean hasRoom(long need) {
    return leavesRoom(need);
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
