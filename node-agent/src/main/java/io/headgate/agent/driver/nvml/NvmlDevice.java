package io.headgate.agent.driver.nvml;

import io.headgate.agent.core.DeviceInfo;
import io.headgate.agent.core.IsolationLevel;
import java.util.Optional;

/// What was found out about one GPU, once, when the agent started.
///
/// @param minor the number in the name of its device file
/// @param memoryBytes that jobs can use: without what the driver keeps for itself
/// @param mig present: MIG is on
/// @param limitsMemory whether the driver limits memory by cgroup here
/// @param mps how parts of it are made by MPS, or where memory is limited by cgroup, their
///   processors limited; empty: not so
record NvmlDevice(
    int index,
    int minor,
    String uuid,
    String model,
    long memoryBytes,
    Optional<MigGeometry> mig,
    boolean limitsMemory,
    Optional<MpsProtocol> mps) {

  /// As the scheduler is told. The isolation is that of parts; a whole GPU is exclusive anyway.
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
