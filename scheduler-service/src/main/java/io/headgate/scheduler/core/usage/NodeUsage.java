package io.headgate.scheduler.core.usage;

import io.headgate.scheduler.core.job.JobId;
import io.headgate.scheduler.core.node.Device;
import io.headgate.scheduler.core.node.Node;
import io.headgate.type.GpuQuantity;
import java.util.List;

/// The usage of a node.
///
/// @param cpuMillisUsed by attempts, those that stop included
/// @param memoryBytesUsed by attempts, those that stop included
public record NodeUsage(
    Node node, long cpuMillisUsed, long memoryBytesUsed, List<DeviceUsage> devices) {
  public NodeUsage {
    devices = List.copyOf(devices);
  }

  /// The usage of a device.
  ///
  /// @param idle free for any job; 0 when the node or the device takes no work
  public record DeviceUsage(Device device, GpuQuantity idle, List<Use> uses) {
    public DeviceUsage {
      uses = List.copyOf(uses);
    }
  }

  /// One job's part of a device.
  ///
  /// @param kind whether the job runs there, stops there, or will run there
  public record Use(JobId job, GpuQuantity quantity, Kind kind) {
    /// How a job uses a slice.
    public enum Kind {
      RUNNING,
      STOPPING,
      HELD
    }
  }
}
