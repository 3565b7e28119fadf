package io.headgate.scheduler.core;

import io.headgate.scheduler.core.catalog.Catalog;
import io.headgate.scheduler.core.catalog.Department;
import io.headgate.scheduler.core.catalog.DepartmentId;
import io.headgate.scheduler.core.catalog.Policy;
import io.headgate.scheduler.core.catalog.PolicyId;
import io.headgate.scheduler.core.catalog.Pool;
import io.headgate.scheduler.core.catalog.PoolId;
import io.headgate.scheduler.core.catalog.PreemptionOutcome;
import io.headgate.scheduler.core.catalog.Profile;
import io.headgate.scheduler.core.catalog.ProfileId;
import io.headgate.scheduler.core.catalog.Queue;
import io.headgate.scheduler.core.catalog.QueueId;
import io.headgate.scheduler.core.catalog.Reclaim;
import io.headgate.scheduler.core.catalog.SpentBudget;
import io.headgate.scheduler.core.catalog.TenantId;
import io.headgate.scheduler.core.catalog.TenantShare;
import io.headgate.type.GpuQuantity;
import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;

/// Builds catalogs; a test names only what matters to it. A second value of a name replaces the
/// first.
final class TenantBuilder {
  static final TenantId ACME = new TenantId("acme");

  private final Map<String, Pool> pools = new LinkedHashMap<>();
  private final Map<String, Profile> profiles = new LinkedHashMap<>();
  private final Map<String, Policy> policies = new LinkedHashMap<>();
  private final Map<String, Queue> queues = new LinkedHashMap<>();
  private final Map<String, TenantShare> shares = new LinkedHashMap<>();
  private final Map<String, Department> departments = new LinkedHashMap<>();
  private long version;

  static PoolId poolId(String name) {
    return new PoolId(ACME, name);
  }

  static ProfileId profileId(String name) {
    return new ProfileId(ACME, name);
  }

  static PolicyId policyId(String name) {
    return new PolicyId(ACME, name);
  }

  static DepartmentId departmentId(String name) {
    return new DepartmentId(ACME, name);
  }

  static QueueId queueId(String name) {
    return new QueueId(ACME, name);
  }

  /// @param order profiles, best execution priority first
  TenantBuilder pool(String name, String... order) {
    List<ProfileId> ids = Arrays.stream(order).map(TenantBuilder::profileId).toList();
    pools.put(name, Pool.of(poolId(name)).with().order(ids).build());
    return this;
  }

  TenantBuilder poolModel(String name, String model) {
    return changePool(name, p -> p.with().gpuModel(Optional.of(model)).build());
  }

  TenantBuilder poolCapacity(String name, String capacity) {
    return changePool(
        name, p -> p.with().capacity(Optional.of(GpuQuantity.parse(capacity))).build());
  }

  TenantBuilder dedicated(String name, String policy) {
    return changePool(name, p -> p.with().dedicatedTo(Optional.of(policyId(policy))).build());
  }

  TenantBuilder changePool(String name, UnaryOperator<Pool> change) {
    pools.compute(name, (key, pool) -> change.apply(pool));
    return this;
  }

  /// @param pools in routing order
  TenantBuilder profile(String name, String gpus, String... pools) {
    return profile(name, gpus, 1, 0, pools);
  }

  TenantBuilder profile(String name, String gpus, int workers, long cpuMillis, String... pools) {
    profiles.put(
        name,
        Profile.of(
                profileId(name),
                GpuQuantity.parse(gpus),
                Arrays.stream(pools).map(TenantBuilder::poolId).toList())
            .with()
            .workers(workers)
            .cpuMillis(cpuMillis)
            .build());
    return this;
  }

  TenantBuilder changeProfile(String name, UnaryOperator<Profile> change) {
    profiles.compute(name, (key, profile) -> change.apply(profile));
    return this;
  }

  TenantBuilder strict(String name) {
    return changeProfile(name, p -> p.with().reclaim(Reclaim.STRICT).build());
  }

  TenantBuilder policy(String name, String reservation, String limit) {
    policies.put(
        name, Policy.of(policyId(name), GpuQuantity.parse(reservation), GpuQuantity.parse(limit)));
    return this;
  }

  /// A policy of another tenant that uses this one's pools.
  TenantBuilder policyOf(String tenant, String name, String reservation, String limit) {
    PolicyId id = new PolicyId(new TenantId(tenant), name);
    policies.put(name, Policy.of(id, GpuQuantity.parse(reservation), GpuQuantity.parse(limit)));
    return this;
  }

  /// @param reservation empty: the sum of the members'
  /// @param limit empty: none
  TenantBuilder share(String tenant, String pool, String reservation, String limit) {
    return share(tenant, pool, reservation, limit, 1);
  }

  TenantBuilder share(String tenant, String pool, String reservation, String limit, int weight) {
    shares.put(
        tenant + "@" + pool,
        new TenantShare(
            new TenantId(tenant),
            poolId(pool),
            reservation.isEmpty() ? Optional.empty() : Optional.of(GpuQuantity.parse(reservation)),
            limit.isEmpty() ? Optional.empty() : Optional.of(GpuQuantity.parse(limit)),
            weight));
    return this;
  }

  /// @param reservation empty: the sum of the members'
  /// @param limit empty: none
  /// @param parent empty: it is directly below the tenant
  TenantBuilder department(
      String name, String reservation, String limit, int weight, String parent) {
    departments.put(
        name,
        new Department(
            departmentId(name),
            parent.isEmpty() ? Optional.empty() : Optional.of(departmentId(parent)),
            reservation.isEmpty() ? Optional.empty() : Optional.of(GpuQuantity.parse(reservation)),
            limit.isEmpty() ? Optional.empty() : Optional.of(GpuQuantity.parse(limit)),
            weight));
    return this;
  }

  TenantBuilder withoutDepartment(String name) {
    departments.remove(name);
    return this;
  }

  /// Puts a policy in a department.
  TenantBuilder in(String department, String policy) {
    return changePolicy(
        policy, p -> p.with().department(Optional.of(departmentId(department))).build());
  }

  TenantBuilder changePolicy(String name, UnaryOperator<Policy> change) {
    policies.compute(name, (key, policy) -> change.apply(policy));
    return this;
  }

  /// The policy is renamed; its queues keep their names unless they are made again.
  TenantBuilder renamePolicy(String name, String newName) {
    Policy policy = policies.remove(name);
    policies.put(newName, policy.with().id(policyId(newName)).build());
    for (Map.Entry<String, Queue> each : queues.entrySet()) {
      Queue q = each.getValue();
      if (q.policy().equals(policy.id())) {
        each.setValue(
            new Queue(
                q.id(), policyId(newName), q.profile(), q.rank(), q.overReservation(), q.open()));
      }
    }
    return this;
  }

  TenantBuilder withoutPolicy(String name) {
    policies.remove(name);
    return this;
  }

  TenantBuilder group(String policy, String group) {
    return changePolicy(policy, p -> p.with().group(Optional.of(group)).build());
  }

  TenantBuilder weight(String name, int weight) {
    return changePolicy(name, p -> p.with().weight(weight).build());
  }

  TenantBuilder perUser(String name, String limit) {
    return changePolicy(
        name, p -> p.with().perUserLimit(Optional.of(GpuQuantity.parse(limit))).build());
  }

  TenantBuilder cancels(String name) {
    return changePolicy(name, p -> p.with().onPreempt(PreemptionOutcome.CANCEL).build());
  }

  TenantBuilder minRuntime(String name, Duration least) {
    return changePolicy(name, p -> p.with().minRuntime(least).build());
  }

  TenantBuilder spent(String name, SpentBudget budget) {
    return changePolicy(name, p -> p.with().spent(Optional.of(budget)).build());
  }

  TenantBuilder nonPreemptible(String name) {
    return changePolicy(name, p -> p.with().preemptible(false).build());
  }

  TenantBuilder queue(String name, String policy, String profile, int rank) {
    PolicyId id = policies.containsKey(policy) ? policies.get(policy).id() : policyId(policy);
    queues.put(name, new Queue(queueId(name), id, profileId(profile), rank, true, true));
    return this;
  }

  TenantBuilder changeQueue(String name, UnaryOperator<Queue> change) {
    queues.compute(name, (key, queue) -> change.apply(queue));
    return this;
  }

  TenantBuilder entitledOnly(String name) {
    return changeQueue(
        name, q -> new Queue(q.id(), q.policy(), q.profile(), q.rank(), false, q.open()));
  }

  TenantBuilder closed(String name) {
    return changeQueue(
        name,
        q -> new Queue(q.id(), q.policy(), q.profile(), q.rank(), q.overReservation(), false));
  }

  TenantBuilder withoutQueue(String name) {
    queues.remove(name);
    return this;
  }

  TenantBuilder withoutProfile(String name) {
    profiles.remove(name);
    return this;
  }

  TenantBuilder withoutPool(String name) {
    pools.remove(name);
    return this;
  }

  Catalog build() {
    return new Catalog(
        ACME,
        ++version,
        List.copyOf(pools.values()),
        List.copyOf(profiles.values()),
        List.copyOf(policies.values()),
        List.copyOf(queues.values()),
        List.copyOf(shares.values()),
        List.copyOf(departments.values()));
  }
}
