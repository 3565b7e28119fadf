package io.headgate.pool.core.configuration;

import io.headgate.pool.core.configuration.ConfigurationWarning.BeyondInstance;
import io.headgate.pool.core.configuration.ConfigurationWarning.ForeignDevices;
import io.headgate.pool.core.configuration.ConfigurationWarning.MissingProvider;
import io.headgate.pool.core.configuration.ConfigurationWarning.NeverFits;
import io.headgate.pool.core.configuration.ConfigurationWarning.NoDevices;
import io.headgate.pool.core.configuration.ConfigurationWarning.OrderWithoutLink;
import io.headgate.pool.core.configuration.ConfigurationWarning.Overcommitted;
import io.headgate.pool.core.configuration.ConfigurationWarning.RemovedWithNodes;
import io.headgate.pool.core.configuration.ConfigurationWarning.StorageMissing;
import io.headgate.pool.core.configuration.ConfigurationWarning.UnusedPool;
import io.headgate.pool.core.name.NodeId;
import io.headgate.pool.core.name.PoolId;
import io.headgate.pool.core.name.StorageId;
import io.headgate.pool.core.node.Claims;
import io.headgate.pool.core.node.Device;
import io.headgate.pool.core.node.InventoryBounds;
import io.headgate.pool.core.node.Isolation;
import io.headgate.pool.core.node.Node;
import io.headgate.type.GpuQuantity;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.ToLongFunction;

/// Compares a configuration with the existing nodes.
public final class Warnings {
  /// The providers that rent instances. There is none yet: the scheduler decides how many instances
  /// a pool needs, and machines join by themselves.
  private static final Set<String> PROVIDERS = Set.of();

  private final Configuration next;
  private final Map<PoolId, List<Node>> nodes = new TreeMap<>();
  private final List<ConfigurationWarning> found = new ArrayList<>();

  private Warnings(Configuration next, List<Node> nodes) {
    this.next = next;
    for (Node node : nodes) {
      this.nodes.computeIfAbsent(node.pool(), _ -> new ArrayList<>()).add(node);
    }
  }

  /// The warnings before `next` replaces `inForce` on `nodes`.
  public static List<ConfigurationWarning> about(
      Configuration inForce, Configuration next, List<Node> nodes) {
    Warnings warnings = new Warnings(next, nodes);
    next.pools().forEach(warnings::pool);
    next.profiles().forEach(warnings::profile);
    inForce.pools().forEach(warnings::removed);
    return List.copyOf(warnings.found);
  }

  /// The largest machine available to a worker: a node or a provider's instance.
  private record Machine(
      long gpus, long gpuMemoryBytes, long cpuMillis, long memoryBytes, Isolation isolation) {}

  private void pool(Pool pool) {
    List<Node> members = nodes.getOrDefault(pool.id(), List.of());
    List<Device> devices =
        members.stream().flatMap(node -> node.inventory().devices().stream()).toList();
    int own = (int) devices.stream().filter(device -> belongs(pool, device)).count();
    if (own == 0 && pool.elasticity().isEmpty()) {
      found.add(new NoDevices(pool.id(), members.size()));
    }
    if (own > 0 && own < devices.size()) {
      found.add(
          new ForeignDevices(
              pool.id(), pool.gpuModel().orElseThrow(), devices.size() - own, devices.size()));
    }
    pool.storage().ifPresent(storage -> without(storage, pool.id(), members));
    pool.instance()
        .map(instance -> instance.most(pool.gpuModel()))
        .ifPresent(most -> beyond(pool.id(), members, most));
    pool.elasticity()
        .filter(grows -> !PROVIDERS.contains(grows.provider()))
        .ifPresent(grows -> found.add(new MissingProvider(pool.id(), grows.provider())));
    long growth =
        pool.elasticity()
            .map(grows -> (long) grows.maxInstances() * grows.instance().gpus())
            .orElse(0L);
    boolean promises = own > 0 || growth > 0;
    if (promises && pool.capacity().isPresent()) {
      GpuQuantity capacity = pool.capacity().get();
      if (capacity.compareTo(GpuQuantity.ofGpus(Math.max(own, growth))) > 0) {
        found.add(new Overcommitted(pool.id(), capacity, own, growth));
      }
    }
    boolean used =
        next.profiles().stream().anyMatch(profile -> profile.pools().contains(pool.id()));
    if (!used) {
      found.add(new UnusedPool(pool.id()));
    }
    for (int i = 0; i < pool.order().size(); i++) {
      Optional<Profile> named = next.profile(pool.order().get(i));
      if (named.isPresent() && !named.get().pools().contains(pool.id())) {
        found.add(new OrderWithoutLink(pool.id(), i, named.get().id()));
      }
    }
  }

  private void without(StorageId storage, PoolId pool, List<Node> members) {
    List<NodeId> lacking =
        members.stream()
            .filter(node -> !node.inventory().storages().contains(storage.value()))
            .map(Node::id)
            .toList();
    if (!lacking.isEmpty()) {
      found.add(new StorageMissing(pool, storage, lacking.size(), lacking.getFirst()));
    }
  }

  private void beyond(PoolId pool, List<Node> members, Claims most) {
    Map<NodeId, String> excesses = new TreeMap<>();
    for (Node node : members) {
      InventoryBounds.excess(node.trust().approved(), most)
          .ifPresent(excess -> excesses.put(node.id(), excess));
    }
    excesses.entrySet().stream()
        .findFirst()
        .ifPresent(example ->
            found.add(
                new BeyondInstance(pool, excesses.size(), example.getKey(), example.getValue())));
  }

  private void profile(Profile profile) {
    List<Machine> machines = new ArrayList<>();
    for (PoolId id : profile.pools()) {
      Optional<Pool> pool = next.pool(id);
      List<Machine> ofPool = pool.map(this::machines).orElse(List.of());
      if (ofPool.isEmpty()) {
        // Nodes of any size may still join the pool.
        return;
      }
      machines.addAll(ofPool);
    }
    if (machines.isEmpty()) {
      return;
    }
    long gpus = Math.ceilDiv(profile.gpus().units(), GpuQuantity.UNITS_PER_GPU);
    long largest = largest(machines, Machine::gpus);
    if (gpus > largest) {
      found.add(
          new NeverFits(profile.id(), "gpus", "GPUs", profile.gpus().toString(), largest + ""));
      return;
    }
    amount(
        profile,
        "gpu_memory_bytes",
        profile.gpuMemoryBytes(),
        largest(machines, Machine::gpuMemoryBytes));
    amount(profile, "memory_bytes", profile.memoryBytes(), largest(machines, Machine::memoryBytes));
    amount(profile, "cpu_millis", profile.cpuMillis(), largest(machines, Machine::cpuMillis));
    Isolation strongest =
        machines.stream().map(Machine::isolation).max(Comparator.naturalOrder()).orElseThrow();
    // A whole device has no neighbours to be isolated from.
    if (profile.gpus().isFraction() && profile.isolation().compareTo(strongest) > 0) {
      found.add(
          new NeverFits(
              profile.id(),
              "isolation",
              "isolation",
              profile.isolation().name(),
              strongest.name()));
    }
  }

  private void amount(Profile profile, String field, long need, long largest) {
    if (need > largest) {
      found.add(
          new NeverFits(profile.id(), field, field, Long.toString(need), Long.toString(largest)));
    }
  }

  private void removed(Pool pool) {
    int members = nodes.getOrDefault(pool.id(), List.of()).size();
    if (members > 0 && next.pool(pool.id()).isEmpty()) {
      found.add(new RemovedWithNodes(pool.id(), members));
    }
  }

  private List<Machine> machines(Pool pool) {
    List<Machine> machines = new ArrayList<>();
    for (Node node : nodes.getOrDefault(pool.id(), List.of())) {
      List<Device> own =
          node.inventory().devices().stream().filter(device -> belongs(pool, device)).toList();
      machines.add(
          new Machine(
              own.size(),
              own.stream().mapToLong(Device::memoryBytes).max().orElse(0),
              node.inventory().cpuMillis(),
              node.inventory().memoryBytes(),
              own.stream()
                  .map(Device::isolation)
                  .max(Comparator.naturalOrder())
                  .orElse(Isolation.NONE)));
    }
    pool.elasticity()
        .map(Elasticity::instance)
        .ifPresent(instance ->
            machines.add(
                new Machine(
                    instance.gpus(),
                    instance.gpuMemoryBytes(),
                    instance.cpuMillis(),
                    instance.memoryBytes(),
                    Isolation.HARDWARE)));
    return machines;
  }

  private static boolean belongs(Pool pool, Device device) {
    return pool.gpuModel().isEmpty() || pool.gpuModel().get().equals(device.gpuModel());
  }

  private static long largest(List<Machine> machines, ToLongFunction<Machine> amount) {
    return machines.stream().mapToLong(amount).max().orElse(0);
  }
}
