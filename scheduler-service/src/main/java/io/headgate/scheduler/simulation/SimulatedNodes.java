package io.headgate.scheduler.simulation;

import io.headgate.scheduler.core.Input;
import io.headgate.scheduler.core.catalog.Catalog;
import io.headgate.scheduler.core.catalog.Elasticity;
import io.headgate.scheduler.core.catalog.Instance;
import io.headgate.scheduler.core.catalog.Pool;
import io.headgate.scheduler.core.catalog.PoolId;
import io.headgate.scheduler.core.catalog.TenantId;
import io.headgate.scheduler.core.job.WorkerPlace;
import io.headgate.scheduler.core.node.Device;
import io.headgate.scheduler.core.node.Geometry;
import io.headgate.scheduler.core.node.Node;
import io.headgate.scheduler.core.node.NodeId;
import io.headgate.scheduler.core.node.NodeStatus;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// The nodes of a simulation: they fail and come back, and elastic pools add more.
final class SimulatedNodes {
  private final Map<NodeId, Node> nodes = new LinkedHashMap<>();

  /// Requested instances that have not joined, in the order of the requests.
  private final Map<NodeId, PoolId> coming = new LinkedHashMap<>();

  private final Map<TenantId, Catalog> catalogs = new HashMap<>();

  SimulatedNodes(List<Node> initial, List<Catalog> provisioned) {
    initial.forEach(node -> nodes.put(node.id(), node));
    provisioned.forEach(this::provision);
  }

  void provision(Catalog changed) {
    catalogs.put(changed.tenant(), changed);
  }

  /// The node fails with everything on it. Does nothing for an unknown node.
  List<Input> down(NodeId id, JobTable jobs) {
    List<Input> inputs = new ArrayList<>();
    Node node = nodes.get(id);
    if (node == null) {
      return inputs;
    }
    inputs.add(new Input.NodeChanged(node.withStatus(NodeStatus.SUSPECT)));
    for (SimulatedJob job : jobs.running()) {
      List<WorkerPlace> workers = job.workers();
      for (int worker = 0; worker < workers.size(); worker++) {
        if (workers.get(worker).node().equals(id)) {
          inputs.add(new Input.WorkerLost(job.attemptId(), worker));
        }
      }
    }
    return inputs;
  }

  /// The node takes work again. Does nothing for an unknown node.
  List<Input> up(NodeId id) {
    Node node = nodes.get(id);
    return node == null ? List.of() : List.of(new Input.NodeChanged(node));
  }

  /// Requests instances until the pool has this number, requested ones included.
  ///
  /// @return the names of the newly requested instances
  List<NodeId> scale(PoolId pool, int instances) {
    long here = nodes.values().stream().filter(node -> node.pool().equals(pool)).count();
    List<NodeId> expected =
        coming.entrySet().stream()
            .filter(entry -> entry.getValue().equals(pool))
            .map(Map.Entry::getKey)
            .toList();
    long missing = instances - here - expected.size();
    for (int i = expected.size() - 1; i >= 0 && missing < 0; i--, missing++) {
      coming.remove(expected.get(i));
    }
    List<NodeId> fresh = new ArrayList<>();
    for (; missing > 0; missing--) {
      NodeId id = unusedName(pool);
      coming.put(id, pool);
      fresh.add(id);
    }
    return fresh;
  }

  private NodeId unusedName(PoolId pool) {
    for (int number = 0; ; number++) {
      NodeId id = new NodeId(pool.tenant(), pool.name() + "-" + number);
      if (!nodes.containsKey(id) && !coming.containsKey(id)) {
        return id;
      }
    }
  }

  /// A requested instance joins; empty when it is no longer wanted.
  Optional<Node> join(NodeId id) {
    PoolId pool = coming.remove(id);
    Optional<Node> joined =
        pool == null ? Optional.empty() : instance(pool).map(each -> node(id, pool, each));
    joined.ifPresent(node -> nodes.put(id, node));
    return joined;
  }

  /// Gives the instance back to its provider.
  ///
  /// @return its pool; empty for an unknown instance
  Optional<PoolId> leave(NodeId id) {
    return Optional.ofNullable(nodes.remove(id)).map(Node::pool);
  }

  private Optional<Instance> instance(PoolId pool) {
    return Optional.ofNullable(catalogs.get(pool.tenant())).stream()
        .flatMap(catalog -> catalog.pools().stream())
        .filter(each -> each.id().equals(pool))
        .map(Pool::elasticity)
        .flatMap(Optional::stream)
        .map(Elasticity::instance)
        .findFirst();
  }

  private static Node node(NodeId id, PoolId pool, Instance instance) {
    List<Device> devices = new ArrayList<>();
    for (int index = 0; index < instance.gpus(); index++) {
      devices.add(
          new Device(
              index,
              id.name() + "-gpu-" + index,
              instance.gpuModel(),
              instance.gpuMemoryBytes(),
              new Geometry.Continuous(),
              instance.isolation()));
    }
    return new Node(
        id, pool, devices, instance.cpuMillis(), instance.memoryBytes(), NodeStatus.READY);
  }
}
