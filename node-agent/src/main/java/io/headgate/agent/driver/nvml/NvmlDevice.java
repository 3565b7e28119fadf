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
record NvmlDevice(
    int index,
    int minor,
    String uuid,
    String model,
    long memoryBytes,
    Optional<MigGeometry> mig,
    boolean limitsMemory) {

  /// As the scheduler is told. The isolation is that of parts; a whole GPU is nobody else's anyway.
  DeviceInfo info() {
    IsolationLevel isolation =
        mig.isPresent()
            ? IsolationLevel.HARDWARE
            : limitsMemory ? IsolationLevel.DRIVER_CONTAINER : IsolationLevel.REACTIVE;
    return new DeviceInfo(
        index,
        uuid,
        model,
        memoryBytes,
        mig.isPresent() ? DeviceInfo.Geometry.MIG : DeviceInfo.Geometry.CONTINUOUS,
        isolation,
        mig.map(MigGeometry::table));
  }
}
