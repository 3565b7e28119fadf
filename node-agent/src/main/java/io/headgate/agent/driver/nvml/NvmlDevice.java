package io.headgate.agent.driver.nvml;

import io.headgate.agent.core.DeviceInfo;
import io.headgate.agent.core.IsolationLevel;
import java.util.Optional;

/// The facts about one GPU, read once when the agent starts.
///
/// @param minor the number in the name of its device file
/// @param memoryBytes that jobs can use, without the driver's own reserve
/// @param mig present: MIG is on
/// @param limitsMemory whether the driver limits memory by cgroup here
/// @param mps protocol by which MPS makes parts of it or, where a cgroup limits memory, limits
///   their processors; empty: MPS does neither
record NvmlDevice(
    int index,
    int minor,
    String uuid,
    String model,
    long memoryBytes,
    Optional<MigGeometry> mig,
    boolean limitsMemory,
    Optional<MpsProtocol> mps) {

  /// The device as the scheduler sees it. The isolation is that of parts; a whole GPU is exclusive
  /// anyway.
  DeviceInfo info() {
    return new DeviceInfo(
        index,
        uuid,
        model,
        memoryBytes,
        mig.isPresent() ? DeviceInfo.Geometry.MIG : DeviceInfo.Geometry.CONTINUOUS,
        isolation(),
        mig.map(MigGeometry::table));
  }

  private IsolationLevel isolation() {
    if (mig.isPresent()) {
      return IsolationLevel.HARDWARE;
    }
    if (limitsMemory) {
      return IsolationLevel.DRIVER_CONTAINER;
    }
    return mps.isPresent() ? IsolationLevel.DRIVER_PROCESS : IsolationLevel.REACTIVE;
  }
}
