package io.headgate.scheduler.core.usage;

import io.headgate.scheduler.core.job.JobId;
import io.headgate.scheduler.core.job.Rejection;
import io.headgate.scheduler.core.node.Device;
import io.headgate.scheduler.core.node.Node;
import io.headgate.type.GpuQuantity;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/// The usage of a node.
///
/// @param cpuMillisUsed by attempts, those that stop included
/// @param memoryBytesUsed by attempts, those that stop included
/// @param setAside until when it gets no work, because it rejected jobs; empty: it is not set aside
public record NodeUsage(
    Node node,
    long cpuMillisUsed,
    long memoryBytesUsed,
    List<DeviceUsage> devices,
    Optional<Pause> setAside) {
  public NodeUsage {
    devices = List.copyOf(devices);
  }

  /// Why it gets no work for a while.
  ///
  /// @param evidence jobs that it rejected
  public record Pause(Instant until, List<Rejection> evidence) {
    public Pause {
      evidence = List.copyOf(evidence);
    }
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
