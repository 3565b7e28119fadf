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

  /// Instances on their way, in the order in which they were asked for.
  private final Map<NodeId, PoolId> coming = new LinkedHashMap<>();

  private final Map<TenantId, Catalog> catalogs = new HashMap<>();

  SimulatedNodes(List<Node> initial, List<Catalog> provisioned) {
    initial.forEach(node -> nodes.put(node.id(), node));
    provisioned.forEach(this::provision);
  }

  void provision(Catalog changed) {
    catalogs.put(changed.tenant(), changed);
  }

  /// The node fails with everything on it. Nothing for a node that is not there.
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

  /// The node takes work again. Nothing for a node that is not there.
  List<Input> up(NodeId id) {
    Node node = nodes.get(id);
    return node == null ? List.of() : List.of(new Input.NodeChanged(node));
  }

  /// The pool is to have so many instances, those that are on their way counted.
  ///
  /// @return the new ones, by the names that they will have
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

  /// An instance has come; empty when it is no longer wanted.
  Optional<Node> join(NodeId id) {
    PoolId pool = coming.remove(id);
    Optional<Node> joined =
        pool == null ? Optional.empty() : instance(pool).map(each -> node(id, pool, each));
    joined.ifPresent(node -> nodes.put(id, node));
    return joined;
  }

  /// The instance is given back.
  ///
  /// @return its pool; empty when it was not there
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
