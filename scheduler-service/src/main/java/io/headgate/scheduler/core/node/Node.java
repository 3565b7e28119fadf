package io.headgate.scheduler.core.node;

import io.headgate.scheduler.core.catalog.PoolId;
import java.util.List;
import java.util.Set;

/// A machine's inventory and whether it takes work.
///
/// @param devices by ascending index
/// @param cpuMillis for jobs, thousandths of a core
/// @param memoryBytes for jobs, main memory
/// @param runsImages whether it runs jobs with an image; assumed until its agent reports otherwise
public record Node(
    NodeId id,
    PoolId pool,
    List<Device> devices,
    long cpuMillis,
    long memoryBytes,
    NodeStatus status,
    boolean runsImages) {
  public Node {
    devices = List.copyOf(devices);
    for (int i = 1; i < devices.size(); i++) {
      if (devices.get(i - 1).index() >= devices.get(i).index()) {
        throw new IllegalArgumentException("node " + id + ": device indexes must ascend");
      }
    }
    if (cpuMillis < 0 || memoryBytes < 0) {
      throw new IllegalArgumentException(
          "node %s: cpuMillis %d, memoryBytes %d".formatted(id, cpuMillis, memoryBytes));
    }
  }

  /// One that runs jobs with an image.
  public Node(
      NodeId id,
      PoolId pool,
      List<Device> devices,
      long cpuMillis,
      long memoryBytes,
      NodeStatus status) {
    this(id, pool, devices, cpuMillis, memoryBytes, status, true);
  }

  /// This node with some devices out of service.
  ///
  /// @param unusable UUIDs
  public Node without(Set<String> unusable) {
    if (unusable.isEmpty()) {
      return this;
    }
    List<Device> left =
        devices.stream()
            .map(device -> unusable.contains(device.uuid()) ? device.outOfService() : device)
            .toList();
    return new Node(id, pool, left, cpuMillis, memoryBytes, status, runsImages);
  }

  public Node withStatus(NodeStatus newStatus) {
    return new Node(id, pool, devices, cpuMillis, memoryBytes, newStatus, runsImages);
  }

  public Node withImages(boolean nowRunsImages) {
    return new Node(id, pool, devices, cpuMillis, memoryBytes, status, nowRunsImages);
  }
}
