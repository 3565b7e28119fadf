package io.headgate.deploy.simulate;

import io.headgate.scheduler.core.catalog.Catalog;
import io.headgate.scheduler.core.catalog.DepartmentId;
import io.headgate.scheduler.core.catalog.Elasticity;
import io.headgate.scheduler.core.catalog.Instance;
import io.headgate.scheduler.core.catalog.Isolation;
import io.headgate.scheduler.core.catalog.PolicyId;
import io.headgate.scheduler.core.catalog.Pool;
import io.headgate.scheduler.core.catalog.PoolId;
import io.headgate.scheduler.core.catalog.PreemptWithin;
import io.headgate.scheduler.core.catalog.PreemptionOutcome;
import io.headgate.scheduler.core.catalog.Profile;
import io.headgate.scheduler.core.catalog.ProfileId;
import io.headgate.scheduler.core.catalog.Queue;
import io.headgate.scheduler.core.catalog.QueueId;
import io.headgate.scheduler.core.catalog.Reclaim;
import io.headgate.scheduler.core.catalog.TenantId;
import io.headgate.scheduler.core.catalog.TenantShare;
import io.headgate.scheduler.core.catalog.UserId;
import io.headgate.sdk.config.Configuration;
import io.headgate.sdk.config.Department;
import io.headgate.sdk.config.Policy;
import io.headgate.sdk.config.Pool.Dedication;
import io.headgate.sdk.config.Tenant;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Turns a configuration file into the core's catalog, as the services would do.
final class CatalogMapper {
  private final TenantId tenant;
  private long version;

  CatalogMapper(TenantId tenant) {
    this.tenant = tenant;
  }

  /// Each catalog has a version one above the catalog before.
  Catalog map(Configuration configuration) {
    List<Queue> queues = new ArrayList<>();
    for (Policy policy : configuration.policies()) {
      for (Policy.Queue queue : policy.queues()) {
        queues.add(
            new Queue(
                new QueueId(tenant, queue.name()),
                policyId(policy),
                new ProfileId(tenant, queue.profile()),
                queue.rank(),
                queue.overReservation() == Policy.OverReservation.ALLOW,
                true));
      }
    }
    return new Catalog(
        tenant,
        ++version,
        configuration.pools().stream().map(pool -> pool(pool, configuration)).toList(),
        configuration.profiles().stream().map(this::profile).toList(),
        configuration.policies().stream().map(this::policy).toList(),
        queues,
        shares(configuration),
        configuration.departments().stream().map(this::department).toList());
  }

  private List<TenantShare> shares(Configuration configuration) {
    List<TenantShare> shares = new ArrayList<>();
    for (Tenant sharing : configuration.tenants()) {
      for (Tenant.Share share : sharing.shares()) {
        shares.add(
            new TenantShare(
                new TenantId(sharing.name()),
                new PoolId(tenant, share.pool()),
                Optional.of(share.reservation()),
                Optional.ofNullable(share.limit()),
                share.weight()));
      }
    }
    return shares;
  }

  private Pool pool(io.headgate.sdk.config.Pool pool, Configuration configuration) {
    return Pool.of(new PoolId(tenant, pool.name()))
        .with()
        .gpuModel(Optional.ofNullable(pool.gpuModel()))
        .capacity(Optional.ofNullable(pool.capacity()))
        .order(pool.order().stream().map(name -> new ProfileId(tenant, name)).toList())
        .dedicatedTo(owner(pool.dedicatedTo(), configuration))
        .elasticity(Optional.ofNullable(pool.elasticity()).map(CatalogMapper::elasticity))
        .promoteAfter(Optional.ofNullable(pool.rules().promoteAfter()))
        .halfLife(Optional.ofNullable(pool.rules().halfLife()))
        .consolidate(pool.rules().consolidate())
        .build();
  }

  /// A group's pool is its policy's; of several policies, the first by name decides, as in the
  /// scheduler.
  private Optional<PolicyId> owner(@Nullable Dedication dedication, Configuration configuration) {
    return switch (dedication) {
      case null -> Optional.empty();
      case Dedication.ToPolicy(String name) ->
          Optional.of(
              configuration.policies().stream()
                  .filter(policy -> policy.name().equals(name))
                  .map(this::policyId)
                  .findFirst()
                  .orElse(new PolicyId(tenant, name)));
      case Dedication.ToGroup(String group) ->
          Optional.of(
              configuration.policies().stream()
                  .filter(policy -> policy.group().equals(group))
                  .map(this::policyId)
                  .sorted()
                  .findFirst()
                  .orElse(new PolicyId(tenant, "")));
    };
  }

  private static Elasticity elasticity(io.headgate.sdk.config.Pool.Elasticity elasticity) {
    var instance = elasticity.instance();
    return new Elasticity(
        new Instance(
            instance.gpus(),
            Objects.requireNonNullElse(instance.gpuModel(), ""),
            MachineMapper.plentyIfZero(instance.gpuMemoryBytes()),
            MachineMapper.USUAL_ISOLATION,
            MachineMapper.plentyIfZero(instance.cpuMillis()),
            MachineMapper.plentyIfZero(instance.memoryBytes())),
        elasticity.minInstances(),
        elasticity.maxInstances(),
        elasticity.idleTimeout());
  }

  private Profile profile(io.headgate.sdk.config.Profile profile) {
    return new Profile(
        new ProfileId(tenant, profile.name()),
        profile.gpus(),
        profile.workers(),
        profile.cpuMillis(),
        profile.memoryBytes(),
        profile.gpuMemoryBytes() == 0
            ? OptionalLong.empty()
            : OptionalLong.of(profile.gpuMemoryBytes()),
        isolation(profile.isolation(), Isolation.NONE),
        Set.copyOf(profile.gpuModels()),
        profile.images(),
        profile.pools().stream().map(name -> new PoolId(tenant, name)).toList(),
        profile.holdAfter(),
        profile.preemptionDelay(),
        switch (profile.reclaim()) {
          case RESERVATION -> Reclaim.RESERVATION;
          case STRICT -> Reclaim.STRICT;
          case RANK -> Reclaim.RANK;
          case FAIR -> Reclaim.FAIR;
        });
  }

  private io.headgate.scheduler.core.catalog.Department department(Department department) {
    TenantId owner = tenantId(department.tenant());
    return new io.headgate.scheduler.core.catalog.Department(
        new DepartmentId(owner, department.name()),
        Optional.ofNullable(department.department()).map(name -> new DepartmentId(owner, name)),
        Optional.ofNullable(department.reservation()),
        Optional.ofNullable(department.limit()),
        department.weight());
  }

  private io.headgate.scheduler.core.catalog.Policy policy(Policy policy) {
    Set<UserId> exceedLimit = new LinkedHashSet<>();
    policy.exceedLimit().forEach(user -> exceedLimit.add(new UserId(user)));
    return io.headgate.scheduler.core.catalog.Policy.of(
            policyId(policy), policy.reservation(), policy.limit())
        .with()
        .weight(policy.weight())
        .perUserLimit(Optional.ofNullable(policy.perUserLimit()))
        .exceedLimit(exceedLimit)
        .onPreempt(
            switch (policy.onPreempt()) {
              case REQUEUE -> PreemptionOutcome.REQUEUE;
              case CANCEL -> PreemptionOutcome.CANCEL;
            })
        .minRuntime(policy.minRuntime())
        .preemptible(policy.preemptible())
        .preemptWithin(
            switch (policy.preemptWithin()) {
              case NEVER -> PreemptWithin.NEVER;
              case LOWER_PRIORITY -> PreemptWithin.LOWER_PRIORITY;
            })
        .preemptAfter(policy.preemptAfter())
        .department(
            Optional.ofNullable(policy.department())
                .map(name -> new DepartmentId(tenantId(policy.tenant()), name)))
        .group(Optional.of(policy.group()))
        .build();
  }

  private PolicyId policyId(Policy policy) {
    return new PolicyId(tenantId(policy.tenant()), policy.name());
  }

  private TenantId tenantId(@Nullable String named) {
    return named == null ? tenant : new TenantId(named);
  }

  static Isolation isolation(
      io.headgate.sdk.config.Profile.@Nullable Isolation isolation, Isolation fallback) {
    return switch (isolation) {
      case null -> fallback;
      case HARDWARE -> Isolation.HARDWARE;
      case DRIVER_CONTAINER -> Isolation.DRIVER_CONTAINER;
      case DRIVER_PROCESS -> Isolation.DRIVER_PROCESS;
      case REACTIVE -> Isolation.REACTIVE;
    };
  }
}
