package io.headgate.agent.driver.rocm;

import io.headgate.agent.core.DeviceInfo;
import io.headgate.agent.core.IsolationLevel;
import java.util.List;
import java.util.Optional;

/// The facts about one GPU, read once when the agent starts.
///
/// @param index in the order of addresses
/// @param modes that it can be put into, fewest partitions first; empty: it is not divided by modes
record AmdGpu(
    int index,
    String uuid,
    String model,
    long memoryBytes,
    PciAddress address,
    List<PartitionMode> modes) {
  AmdGpu {
    modes = List.copyOf(modes);
  }

  boolean isPartitioned() {
    return !modes.isEmpty();
  }

  /// The device as the scheduler sees it. The isolation is that of parts; a whole GPU is exclusive
  /// anyway.
  DeviceInfo info() {
    return new DeviceInfo(
        index,
        uuid,
        model,
        memoryBytes,
        isPartitioned() ? DeviceInfo.Geometry.AMD_PARTITION : DeviceInfo.Geometry.CONTINUOUS,
        isPartitioned() ? IsolationLevel.HARDWARE : IsolationLevel.REACTIVE,
        isPartitioned() ? Optional.of(PartitionMode.table(modes)) : Optional.empty());
  }

  String words() {
    return "GPU %d (%s)".formatted(index, uuid);
  }
}
