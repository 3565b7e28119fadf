package io.headgate.scheduler.core.property;

import io.headgate.scheduler.core.Input;
import io.headgate.scheduler.core.catalog.Catalog;
import io.headgate.scheduler.core.catalog.Department;
import io.headgate.scheduler.core.catalog.DepartmentId;
import io.headgate.scheduler.core.catalog.Isolation;
import io.headgate.scheduler.core.catalog.Policy;
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
import io.headgate.scheduler.core.job.JobSpec;
import io.headgate.scheduler.core.node.Device;
import io.headgate.scheduler.core.node.Geometry;
import io.headgate.scheduler.core.node.Node;
import io.headgate.scheduler.core.node.NodeStatus;
import io.headgate.type.GpuQuantity;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/// Histories with plainer tenants, machines and jobs, one change each.
final class Plainer {
  private final History history;
  private final List<History> found = new ArrayList<>();

  private Plainer(History history) {
    this.history = history;
  }

  /// In a fixed order, those that leave most out first.
  static List<History> of(History history) {
    Plainer plainer = new Plainer(history);
    Set<PolicyId> policies = new LinkedHashSet<>();
    Set<PoolId> pools = new LinkedHashSet<>();
    Set<ProfileId> profiles = new LinkedHashSet<>();
    Set<QueueId> queues = new LinkedHashSet<>();
    history.mapCatalogs(catalog -> {
      catalog.policies().forEach(policy -> policies.add(policy.id()));
      catalog.pools().forEach(pool -> pools.add(pool.id()));
      catalog.profiles().forEach(profile -> profiles.add(profile.id()));
      catalog.queues().forEach(queue -> queues.add(queue.id()));
      return catalog;
    });
    policies.forEach(id -> plainer.catalogs(c -> without(c, q -> !q.policy().equals(id), id)));
    profiles.forEach(id -> plainer.catalogs(c -> withoutProfile(c, id)));
    pools.forEach(id -> plainer.catalogs(c -> withoutPool(c, id)));
    queues.forEach(id -> plainer.catalogs(c -> without(c, q -> !q.id().equals(id), null)));
    pools.forEach(plainer::plainPool);
    profiles.forEach(plainer::plainProfile);
    policies.forEach(plainer::plainPolicy);
    queues.forEach(plainer::plainQueue);
    plainer.plainShares();
    plainer.plainDepartments();
    plainer.plainNodes();
    plainer.plainJobs();
    return plainer.found;
  }

  private void catalogs(UnaryOperator<Catalog> change) {
    try {
      found.add(history.mapCatalogs(change));
    } catch (IllegalArgumentException _) {
      // No such tenant can be, with a reservation above its limit for example.
    }
  }

  // --- Tenants.

  private static Catalog with(
      Catalog catalog,
      List<Pool> pools,
      List<Profile> profiles,
      List<Policy> policies,
      List<Queue> queues) {
    List<TenantShare> shares =
        catalog.shares().stream()
            .filter(share -> pools.stream().anyMatch(pool -> pool.id().equals(share.pool())))
            .toList();
    return new Catalog(
        catalog.tenant(),
        catalog.version(),
        pools,
        profiles,
        policies,
        queues,
        shares,
        catalog.departments());
  }

  private static Catalog without(
      Catalog catalog, Predicate<Queue> kept, @Nullable PolicyId policy) {
    return with(
        catalog,
        catalog.pools().stream()
            .map(pool ->
                pool.dedicatedTo().equals(Optional.ofNullable(policy))
                    ? pool.with().dedicatedTo(Optional.empty()).build()
                    : pool)
            .toList(),
        catalog.profiles(),
        catalog.policies().stream().filter(each -> !each.id().equals(policy)).toList(),
        catalog.queues().stream().filter(kept).toList());
  }

  private static Catalog withoutProfile(Catalog catalog, ProfileId id) {
    return with(
        catalog,
        catalog.pools().stream()
            .map(pool ->
                pool.with()
                    .order(pool.order().stream().filter(each -> !each.equals(id)).toList())
                    .build())
            .toList(),
        catalog.profiles().stream().filter(each -> !each.id().equals(id)).toList(),
        catalog.policies(),
        catalog.queues().stream().filter(queue -> !queue.profile().equals(id)).toList());
  }

  private static Catalog withoutPool(Catalog catalog, PoolId id) {
    return with(
        catalog,
        catalog.pools().stream().filter(each -> !each.id().equals(id)).toList(),
        catalog.profiles().stream()
            .map(profile ->
                profile
                    .with()
                    .pools(profile.pools().stream().filter(each -> !each.equals(id)).toList())
                    .build())
            .toList(),
        catalog.policies(),
        catalog.queues());
  }

  private void plainPool(PoolId id) {
    pool(id, pool -> Pool.of(id));
    pool(id, pool -> pool.with().elasticity(Optional.empty()).build());
    pool(id, pool -> pool.with().capacity(Optional.empty()).build());
    pool(id, pool -> pool.with().dedicatedTo(Optional.empty()).build());
    pool(id, pool -> pool.with().gpuModel(Optional.empty()).build());
    pool(id, pool -> pool.with().order(List.of()).build());
  }

  private void pool(PoolId id, UnaryOperator<Pool> change) {
    catalogs(catalog ->
        with(
            catalog,
            catalog.pools().stream()
                .map(pool -> pool.id().equals(id) ? change.apply(pool) : pool)
                .toList(),
            catalog.profiles(),
            catalog.policies(),
            catalog.queues()));
  }

  private void plainProfile(ProfileId id) {
    profile(id, profile -> Profile.of(id, GpuQuantity.ONE, profile.pools()));
    profile(id, profile -> Profile.of(id, profile.gpus(), profile.pools()));
    profile(id, profile -> profile.with().workers(1).build());
    profile(id, profile -> profile.with().workers(Math.max(1, profile.workers() - 1)).build());
    profile(id, profile -> profile.with().cpuMillis(0).build());
    profile(id, profile -> profile.with().gpuMemoryBytes(OptionalLong.empty()).build());
    profile(id, profile -> profile.with().isolation(Isolation.NONE).build());
    profile(id, profile -> profile.with().gpuModels(Set.of()).build());
    profile(id, profile -> profile.with().images(false).build());
    profile(id, profile -> profile.with().reclaim(Reclaim.RESERVATION).build());
    profile(id, profile -> profile.with().holdAfter(Profile.DEFAULT_HOLD_AFTER).build());
    profile(id, profile -> profile.with().holdAfter(Duration.ZERO).build());
    profile(
        id, profile -> profile.with().preemptionDelay(Profile.DEFAULT_PREEMPTION_DELAY).build());
    profile(
        id,
        profile ->
            profile.gpus().isWhole() && profile.gpus().units() > GpuQuantity.UNITS_PER_GPU
                ? profile.with().gpus(less(profile.gpus())).build()
                : profile);
  }

  private void profile(ProfileId id, UnaryOperator<Profile> change) {
    catalogs(catalog ->
        with(
            catalog,
            catalog.pools(),
            catalog.profiles().stream()
                .map(profile -> profile.id().equals(id) ? change.apply(profile) : profile)
                .toList(),
            catalog.policies(),
            catalog.queues()));
  }

  private static GpuQuantity less(GpuQuantity quantity) {
    return new GpuQuantity(Math.max(0, quantity.units() - GpuQuantity.UNITS_PER_GPU));
  }

  private static GpuQuantity whole(GpuQuantity quantity) {
    return new GpuQuantity(
        quantity.units() / GpuQuantity.UNITS_PER_GPU * GpuQuantity.UNITS_PER_GPU);
  }

  private void plainPolicy(PolicyId id) {
    policy(id, policy -> Policy.of(id, policy.reservation(), policy.limit()));
    policy(id, policy -> policy.with().reservation(new GpuQuantity(0)).build());
    policy(id, policy -> policy.with().reservation(whole(policy.reservation())).build());
    policy(id, policy -> policy.with().reservation(less(policy.reservation())).build());
    policy(id, policy -> policy.with().limit(whole(policy.limit())).build());
    policy(
        id,
        policy ->
            less(policy.limit()).compareTo(policy.reservation()) < 0
                ? policy
                : policy.with().limit(less(policy.limit())).build());
    policy(id, policy -> policy.with().weight(1).build());
    policy(id, policy -> policy.with().perUserLimit(Optional.empty()).build());
    policy(id, policy -> policy.with().exceedLimit(Set.of()).build());
    policy(id, policy -> policy.with().onPreempt(PreemptionOutcome.REQUEUE).build());
    policy(id, policy -> policy.with().minRuntime(Duration.ZERO).build());
    policy(id, policy -> policy.with().preemptAfter(Duration.ZERO).build());
    policy(id, policy -> policy.with().preemptible(true).build());
    policy(id, policy -> policy.with().preemptWithin(PreemptWithin.NEVER).build());
  }

  private void policy(PolicyId id, UnaryOperator<Policy> change) {
    catalogs(catalog ->
        with(
            catalog,
            catalog.pools(),
            catalog.profiles(),
            catalog.policies().stream()
                .map(policy -> policy.id().equals(id) ? change.apply(policy) : policy)
                .toList(),
            catalog.queues()));
  }

  private void plainQueue(QueueId id) {
    catalogs(catalog ->
        with(
            catalog,
            catalog.pools(),
            catalog.profiles(),
            catalog.policies(),
            catalog.queues().stream()
                .map(queue ->
                    queue.id().equals(id)
                        ? new Queue(id, queue.policy(), queue.profile(), 1, true, true)
                        : queue)
                .toList()));
  }

  private void plainShares() {
    record Place(TenantId tenant, PoolId pool) {}
    Set<Place> places = new LinkedHashSet<>();
    history.mapCatalogs(catalog -> {
      catalog.shares().forEach(share -> places.add(new Place(share.tenant(), share.pool())));
      return catalog;
    });
    for (Place place : places) {
      for (UnaryOperator<TenantShare> change :
          List.<UnaryOperator<TenantShare>>of(
              share -> null,
              share -> share(share, share.reservation().map(Plainer::whole), Optional.empty()),
              share -> share(share, Optional.of(GpuQuantity.ZERO), share.limit()),
              share -> share(share, share.reservation(), Optional.empty()),
              share -> share(share, share.reservation().map(Plainer::less), share.limit()),
              share ->
                  share(
                      share,
                      share.reservation().map(Plainer::whole),
                      share.limit().map(Plainer::whole)))) {
        catalogs(catalog ->
            withShares(
                catalog,
                share ->
                    place.equals(new Place(share.tenant(), share.pool()))
                        ? change.apply(share)
                        : share));
      }
    }
  }

  private static TenantShare share(
      TenantShare share, Optional<GpuQuantity> reservation, Optional<GpuQuantity> limit) {
    return new TenantShare(share.tenant(), share.pool(), reservation, limit, 1);
  }

  private void plainDepartments() {
    Set<DepartmentId> ids = new LinkedHashSet<>();
    history.mapCatalogs(catalog -> {
      catalog.departments().forEach(department -> ids.add(department.id()));
      return catalog;
    });
    for (DepartmentId id : ids) {
      department(id, _ -> Optional.empty());
      department(id, one -> plain(one, one.reservation(), Optional.empty()));
      department(id, one -> plain(one, Optional.empty(), one.limit()));
      department(id, one -> plain(one, one.reservation().map(Plainer::whole), one.limit()));
      department(id, one -> plain(one, one.reservation().map(Plainer::less), one.limit()));
    }
  }

  private static Optional<Department> plain(
      Department department, Optional<GpuQuantity> reservation, Optional<GpuQuantity> limit) {
    return Optional.of(new Department(department.id(), department.parent(), reservation, limit, 1));
  }

  /// @param change nothing: it is gone, and whatever was in it is in none
  private void department(DepartmentId id, Function<Department, Optional<Department>> change) {
    catalogs(catalog ->
        new Catalog(
            catalog.tenant(),
            catalog.version(),
            catalog.pools(),
            catalog.profiles(),
            catalog.policies(),
            catalog.queues(),
            catalog.shares(),
            catalog.departments().stream()
                .map(each -> each.id().equals(id) ? change.apply(each) : Optional.of(each))
                .flatMap(Optional::stream)
                .toList()));
  }

  /// @param change null: it is gone
  private static Catalog withShares(Catalog catalog, UnaryOperator<@Nullable TenantShare> change) {
    return catalog.withShares(
        catalog.shares().stream().map(change).filter(Objects::nonNull).toList());
  }

  // --- Machines.

  private void plainNodes() {
    Set<Node> nodes = new LinkedHashSet<>();
    history.mapEach(input -> {
      if (input instanceof Input.NodeChanged(var node)) {
        nodes.add(node);
      }
      return input;
    });
    for (Node node : nodes) {
      node(node, node.withStatus(NodeStatus.READY));
      node(node, plain(node, node.devices().size()));
      node(node, plain(node, node.devices().size() / 2));
      node(node, plain(node, Math.max(0, node.devices().size() - 1)));
    }
  }

  private static Node plain(Node node, int gpus) {
    List<Device> devices = new ArrayList<>();
    for (Device device : node.devices().subList(0, gpus)) {
      devices.add(
          new Device(
              device.index(),
              device.uuid(),
              "A",
              80L << 30,
              new Geometry.Continuous(),
              Isolation.DRIVER_CONTAINER));
    }
    return new Node(
        node.id(), node.pool(), devices, 64_000, 64L << 30, node.status(), node.runsImages());
  }

  private void node(Node before, Node after) {
    found.add(
        history.mapEach(input ->
            input instanceof Input.NodeChanged(var node) && node.equals(before)
                ? new Input.NodeChanged(after)
                : input));
  }

  // --- Jobs.

  private void plainJobs() {
    Set<JobSpec> specs = new LinkedHashSet<>();
    history.mapEach(input -> {
      if (input instanceof Input.JobSubmitted(var spec, var _)) {
        specs.add(spec);
      }
      return input;
    });
    for (JobSpec spec : specs) {
      UserId user = spec.user();
      job(spec, plain(spec, new UserId("u"), 0, Optional.empty(), Optional.empty()));
      job(spec, plain(spec, new UserId("u"), spec.priority(), spec.preemptible(), max(spec)));
      job(spec, plain(spec, user, 0, spec.preemptible(), max(spec)));
      job(spec, plain(spec, user, spec.priority(), Optional.empty(), max(spec)));
      job(spec, plain(spec, user, spec.priority(), spec.preemptible(), Optional.empty()));
    }
  }

  private static Optional<Duration> max(JobSpec spec) {
    return spec.maxRuntime();
  }

  private static JobSpec plain(
      JobSpec spec,
      UserId user,
      int priority,
      Optional<Boolean> preemptible,
      Optional<Duration> maxRuntime) {
    return spec.with()
        .user(user)
        .priority(priority)
        .preemptible(preemptible)
        .maxRuntime(maxRuntime)
        .build();
  }

  private void job(JobSpec before, JobSpec after) {
    found.add(
        history.mapEach(input ->
            input instanceof Input.JobSubmitted(var spec, var gate) && spec.equals(before)
                ? new Input.JobSubmitted(after, gate)
                : input));
  }
}
