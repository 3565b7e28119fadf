package io.headgate.scheduler.core;

import io.headgate.scheduler.core.catalog.Catalog;
import io.headgate.scheduler.core.catalog.Isolation;
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
import io.headgate.scheduler.core.catalog.TenantId;
import io.headgate.type.GpuQuantity;
import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.UnaryOperator;

/// Builds catalogs; a test names only what matters to it. What is named again replaces what was.
final class TenantBuilder {
  static final TenantId ACME = new TenantId("acme");

  private final Map<String, Pool> pools = new LinkedHashMap<>();
  private final Map<String, Profile> profiles = new LinkedHashMap<>();
  private final Map<String, Policy> policies = new LinkedHashMap<>();
  private final Map<String, Queue> queues = new LinkedHashMap<>();
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

  static QueueId queueId(String name) {
    return new QueueId(ACME, name);
  }

  /// @param order profiles, best execution priority first
  TenantBuilder pool(String name, String... order) {
    List<ProfileId> ids = Arrays.stream(order).map(TenantBuilder::profileId).toList();
    pools.put(
        name, new Pool(poolId(name), Optional.empty(), Optional.empty(), ids, Optional.empty()));
    return this;
  }

  TenantBuilder poolModel(String name, String model) {
    return changePool(
        name, p -> new Pool(p.id(), Optional.of(model), p.capacity(), p.order(), p.dedicatedTo()));
  }

  TenantBuilder poolCapacity(String name, String capacity) {
    return changePool(
        name,
        p ->
            new Pool(
                p.id(),
                p.gpuModel(),
                Optional.of(GpuQuantity.parse(capacity)),
                p.order(),
                p.dedicatedTo()));
  }

  TenantBuilder dedicated(String name, String policy) {
    return changePool(
        name,
        p ->
            new Pool(p.id(), p.gpuModel(), p.capacity(), p.order(), Optional.of(policyId(policy))));
  }

  private TenantBuilder changePool(String name, UnaryOperator<Pool> change) {
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
        new Profile(
            profileId(name),
            GpuQuantity.parse(gpus),
            workers,
            cpuMillis,
            0,
            OptionalLong.empty(),
            Isolation.NONE,
            Arrays.stream(pools).map(TenantBuilder::poolId).toList(),
            Reclaim.RESERVATION));
    return this;
  }

  TenantBuilder changeProfile(String name, UnaryOperator<Profile> change) {
    profiles.compute(name, (key, profile) -> change.apply(profile));
    return this;
  }

  TenantBuilder strict(String name) {
    return changeProfile(
        name,
        p ->
            new Profile(
                p.id(),
                p.gpus(),
                p.workers(),
                p.cpuMillis(),
                p.memoryBytes(),
                p.gpuMemoryBytes(),
                p.isolation(),
                p.pools(),
                Reclaim.STRICT));
  }

  TenantBuilder policy(String name, String reservation, String limit) {
    policies.put(
        name,
        new Policy(
            policyId(name),
            GpuQuantity.parse(reservation),
            GpuQuantity.parse(limit),
            1,
            Optional.empty(),
            PreemptionOutcome.REQUEUE,
            Duration.ZERO,
            true));
    return this;
  }

  TenantBuilder changePolicy(String name, UnaryOperator<Policy> change) {
    policies.compute(name, (key, policy) -> change.apply(policy));
    return this;
  }

  TenantBuilder weight(String name, int weight) {
    return changePolicy(
        name,
        p ->
            new Policy(
                p.id(),
                p.reservation(),
                p.limit(),
                weight,
                p.perUserLimit(),
                p.onPreempt(),
                p.minRuntime(),
                p.preemptible()));
  }

  TenantBuilder perUser(String name, String limit) {
    return changePolicy(
        name,
        p ->
            new Policy(
                p.id(),
                p.reservation(),
                p.limit(),
                p.weight(),
                Optional.of(GpuQuantity.parse(limit)),
                p.onPreempt(),
                p.minRuntime(),
                p.preemptible()));
  }

  TenantBuilder cancels(String name) {
    return changePolicy(
        name,
        p ->
            new Policy(
                p.id(),
                p.reservation(),
                p.limit(),
                p.weight(),
                p.perUserLimit(),
                PreemptionOutcome.CANCEL,
                p.minRuntime(),
                p.preemptible()));
  }

  TenantBuilder minRuntime(String name, Duration least) {
    return changePolicy(
        name,
        p ->
            new Policy(
                p.id(),
                p.reservation(),
                p.limit(),
                p.weight(),
                p.perUserLimit(),
                p.onPreempt(),
                least,
                p.preemptible()));
  }

  TenantBuilder nonPreemptible(String name) {
    return changePolicy(
        name,
        p ->
            new Policy(
                p.id(),
                p.reservation(),
                p.limit(),
                p.weight(),
                p.perUserLimit(),
                p.onPreempt(),
                p.minRuntime(),
                false));
  }

  TenantBuilder queue(String name, String policy, String profile, int rank) {
    queues.put(
        name, new Queue(queueId(name), policyId(policy), profileId(profile), rank, true, true));
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
        List.copyOf(queues.values()));
  }
}
