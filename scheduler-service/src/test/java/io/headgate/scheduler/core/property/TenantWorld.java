package io.headgate.scheduler.core.property;

import io.headgate.scheduler.core.Input;
import io.headgate.scheduler.core.catalog.Catalog;
import io.headgate.scheduler.core.catalog.Policy;
import io.headgate.scheduler.core.catalog.PolicyId;
import io.headgate.scheduler.core.catalog.Pool;
import io.headgate.scheduler.core.catalog.PreemptWithin;
import io.headgate.scheduler.core.catalog.PreemptionOutcome;
import io.headgate.scheduler.core.catalog.Queue;
import io.headgate.scheduler.core.catalog.TenantId;
import io.headgate.scheduler.core.catalog.TenantShare;
import io.headgate.type.GpuQuantity;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.random.RandomGenerator;

/// Divides the policies of a [RandomWorld] among three tenants and gives these shares in its pools.
/// It draws from a stream of its own: what happens in the world is the same with and without.
final class TenantWorld {
  private static final List<TenantId> TENANTS =
      List.of(new TenantId("t"), new TenantId("u"), new TenantId("v"));

  private final RandomGenerator random;
  private final Map<String, TenantId> tenantOf = new HashMap<>();
  private List<TenantShare> shares = List.of();

  TenantWorld(RandomGenerator random) {
    this.random = random;
  }

  private boolean chance(int percent) {
    return random.nextInt(100) < percent;
  }

  List<Input> divide(List<Input> inputs) {
    List<Input> divided = new ArrayList<>();
    for (Input input : inputs) {
      divided.add(
          input instanceof Input.CatalogChanged(var catalog)
              ? new Input.CatalogChanged(divide(catalog))
              : input);
    }
    return divided;
  }

  Catalog divide(Catalog catalog) {
    if (shares.isEmpty() || chance(40)) {
      shares = makeShares(catalog.pools());
    }
    List<Policy> policies = new ArrayList<>();
    for (Policy policy : catalog.policies()) {
      policies.add(owned(policy));
    }
    List<Queue> queues = new ArrayList<>();
    for (Queue queue : catalog.queues()) {
      queues.add(
          new Queue(
              queue.id(),
              owned(queue.policy()),
              queue.profile(),
              queue.rank(),
              queue.overReservation(),
              queue.open()));
    }
    List<Pool> pools = new ArrayList<>();
    for (Pool pool : catalog.pools()) {
      pools.add(pool.with().dedicatedTo(pool.dedicatedTo().map(this::owned)).build());
    }
    return new Catalog(
        catalog.tenant(),
        catalog.version(),
        pools,
        catalog.profiles(),
        policies,
        queues,
        shares,
        List.of());
  }

  private PolicyId owned(PolicyId policy) {
    TenantId tenant =
        tenantOf.computeIfAbsent(
            RandomWorld.family(policy.name()), key -> TENANTS.get(random.nextInt(TENANTS.size())));
    return new PolicyId(tenant, policy.name());
  }

  private Policy owned(Policy policy) {
    return policy
        .with()
        .id(owned(policy.id()))
        .onPreempt(
            policy.onPreempt() == PreemptionOutcome.CANCEL && chance(70)
                ? PreemptionOutcome.REQUEUE
                : policy.onPreempt())
        .preemptWithin(chance(50) ? PreemptWithin.NEVER : policy.preemptWithin())
        .build();
  }

  private List<TenantShare> makeShares(List<Pool> pools) {
    List<TenantShare> made = new ArrayList<>();
    for (Pool pool : pools) {
      if (!chance(80)) {
        continue;
      }
      for (TenantId tenant : TENANTS) {
        if (chance(75)) {
          GpuQuantity reservation = gpus(5);
          made.add(
              new TenantShare(
                  tenant,
                  pool.id(),
                  Optional.of(reservation),
                  chance(60) ? Optional.of(reservation.plus(gpus(5))) : Optional.empty(),
                  1 + random.nextInt(3)));
        }
      }
    }
    return made;
  }

  private GpuQuantity gpus(int most) {
    return GpuQuantity.parse(random.nextInt(2 * most + 1) + "/2");
  }
}
