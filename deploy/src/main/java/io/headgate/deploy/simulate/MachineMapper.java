package io.headgate.deploy.simulate;

import io.headgate.scheduler.core.catalog.Isolation;
import io.headgate.scheduler.core.catalog.PoolId;
import io.headgate.scheduler.core.catalog.TenantId;
import io.headgate.scheduler.core.job.Assignment;
import io.headgate.scheduler.core.job.Slice;
import io.headgate.scheduler.core.job.WorkerPlace;
import io.headgate.scheduler.core.node.Device;
import io.headgate.scheduler.core.node.Geometry;
import io.headgate.scheduler.core.node.Node;
import io.headgate.scheduler.core.node.NodeId;
import io.headgate.scheduler.core.node.NodeStatus;
import io.headgate.sdk.config.Configuration;
import io.headgate.sdk.config.Pool;
import io.headgate.sdk.config.Profile;
import io.headgate.sdk.config.ScenarioFile;
import io.headgate.type.GpuQuantity;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Turns the machines of a scenario file into the core's nodes, and places the running jobs on
/// them.
final class MachineMapper {
  /// The isolation of a cgroup's memory limit, which every machine can have.
  static final Isolation USUAL_ISOLATION = Isolation.DRIVER_CONTAINER;

  /// Stands for resources that are not counted; small enough that sums over a fleet stay exact.
  private static final long PLENTY = 1L << 44;

  private final TenantId tenant;
  private final Map<String, String> models = new HashMap<>();
  private final Map<String, Node> nodes = new LinkedHashMap<>();
  private final RunningPlaces places = new RunningPlaces();

  MachineMapper(TenantId tenant, Configuration configuration) {
    this.tenant = tenant;
    for (Pool pool : configuration.pools()) {
      if (pool.gpuModel() != null) {
        models.put(pool.name(), pool.gpuModel());
      }
    }
  }

  /// One node for each machine, in the order of the file.
  List<Node> nodes(List<ScenarioFile.DeclaredNode> declared) {
    for (ScenarioFile.DeclaredNode node : declared) {
      for (int i = 0; i < node.count(); i++) {
        String name = node.nameOf(i);
        nodes.put(name, node(name, node));
      }
    }
    return List.copyOf(nodes.values());
  }

  private Node node(String name, ScenarioFile.DeclaredNode node) {
    String model = node.gpuModel();
    List<Device> devices = new ArrayList<>();
    for (int index = 0; index < node.gpus(); index++) {
      devices.add(
          new Device(
              index,
              name + "-gpu-" + index,
              model != null ? model : models.getOrDefault(node.pool(), ""),
              plentyIfAbsent(node.gpuMemoryBytes()),
              geometry(node.geometry()),
              CatalogMapper.isolation(node.isolation(), usualIsolation(node.geometry()))));
    }
    return new Node(
        new NodeId(tenant, name),
        new PoolId(tenant, node.pool()),
        devices,
        plentyIfAbsent(node.cpuMillis()),
        plentyIfAbsent(node.memoryBytes()),
        NodeStatus.READY);
  }

  private static Geometry geometry(ScenarioFile.Geometry geometry) {
    return switch (geometry) {
      case CONTINUOUS -> new Geometry.Continuous();
      case MIG -> Geometry.Sliced.MIG;
      case AMD -> Geometry.Sliced.AMD;
    };
  }

  private static Isolation usualIsolation(ScenarioFile.Geometry geometry) {
    return switch (geometry) {
      case CONTINUOUS -> USUAL_ISOLATION;
      case MIG, AMD -> Isolation.HARDWARE;
    };
  }

  /// Assigns the slices that running jobs name, so that other jobs get the remaining ones.
  void claim(List<ScenarioFile.Running> running) {
    for (ScenarioFile.Running each : running) {
      for (ScenarioFile.Worker worker : each.workers()) {
        Node node = Optional.ofNullable(nodes.get(worker.node())).orElseThrow();
        for (ScenarioFile.Share share : worker.devices()) {
          places.claim(each.job().name(), node.devices().get(share.index()), share);
        }
      }
    }
  }

  /// The place of a running job; call [#claim] before. A slice has the memory that the profile asks
  /// for, or else its part of the device's memory.
  Assignment place(ScenarioFile.Running running, Profile profile) {
    List<WorkerPlace> workers = new ArrayList<>();
    PoolId pool = new PoolId(tenant, "");
    for (ScenarioFile.Worker worker : running.workers()) {
      Node node = Optional.ofNullable(nodes.get(worker.node())).orElseThrow();
      pool = node.pool();
      List<Slice> slices = new ArrayList<>();
      for (ScenarioFile.Share share : worker.devices()) {
        Device device = node.devices().get(share.index());
        slices.add(
            device.geometry() instanceof Geometry.Sliced
                ? places.slice(running.job().name(), device, share, profile)
                : new Slice(
                    share.index(),
                    device.uuid(),
                    share.gpus(),
                    memory(device, share, profile),
                    Slice.isolation(share.gpus(), device.isolation()),
                    Optional.empty()));
      }
      workers.add(new WorkerPlace(node.id(), slices, profile.cpuMillis(), profile.memoryBytes()));
    }
    return new Assignment(pool, workers);
  }

  private static long memory(Device device, ScenarioFile.Share share, Profile profile) {
    if (share.gpus().equals(GpuQuantity.ONE)) {
      return device.memoryBytes();
    }
    if (profile.gpuMemoryBytes() > 0) {
      return profile.gpuMemoryBytes();
    }
    return BigInteger.valueOf(device.memoryBytes())
        .multiply(BigInteger.valueOf(share.gpus().units()))
        .divide(BigInteger.valueOf(GpuQuantity.UNITS_PER_GPU))
        .longValueExact();
  }

  /// The amount of an instance's resource; 0 in the file means that it is not counted.
  static long plentyIfZero(long counted) {
    return counted == 0 ? PLENTY : counted;
  }

  private static long plentyIfAbsent(@Nullable Long counted) {
    return counted == null ? PLENTY : counted;
  }
}
