package io.headgate.deploy;

import io.headgate.agent.core.DeviceInfo;
import io.headgate.agent.core.DeviceInfo.Geometry;
import io.headgate.agent.core.IsolationLevel;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// Remarks of `up` on this machine's GPUs.
final class LocalGpus {
  private static final int GIB_BITS = 30;

  private LocalGpus() {}

  /// GPUs of one model with equal memory and isolation.
  private record Kind(String model, long gib, IsolationLevel isolation) {}

  /// One remark each.
  ///
  /// @param pool that their node joined, maybe before it had them
  /// @param root whether this process may do all that a machine's agent may
  static List<String> remarks(List<DeviceInfo> devices, String pool, boolean root) {
    if (devices.isEmpty()) {
      return List.of("no usable GPU; the log says why");
    }
    Map<Kind, Integer> counts = new LinkedHashMap<>();
    for (DeviceInfo device : devices) {
      counts.merge(
          new Kind(device.model(), device.memoryBytes() >> GIB_BITS, device.isolation()),
          1,
          Integer::sum);
    }
    List<String> remarks = new ArrayList<>();
    counts.forEach((kind, count) ->
        remarks.add(
            "%d x %s %d GiB; %s"
                .formatted(count, kind.model(), kind.gib(), parts(kind.isolation()))));
    if (!pool.equals(StarterConfiguration.POOL)) {
      remarks.add("in pool " + pool);
    }
    if (!root) {
      remarks.add(
          "without root: jobs run as you and are not isolated; parts of GPUs are only watched");
      remarks.add(
          devices.stream().allMatch(device -> device.geometry() == Geometry.CONTINUOUS)
              ? "as root: jobs are isolated, and the driver limits parts of GPUs where it can"
              : "parts of divided GPUs (MIG, partitions) need root: sudo headgate up --nodes local");
    }
    return remarks;
  }

  private static String parts(IsolationLevel isolation) {
    return switch (isolation) {
      case HARDWARE -> "parts are divided by the hardware";
      case DRIVER_CONTAINER -> "the driver limits the memory of parts";
      case DRIVER_PROCESS -> "the driver limits the memory of each process of a part";
      case REACTIVE, NONE -> "parts are watched: a job that takes more memory is stopped";
    };
  }

  /// Whether root runs this process.
  static boolean isRoot() {
    try {
      return Files.getAttribute(Path.of("/proc/self"), "unix:uid").equals(0);
    } catch (IOException _) {
      return false;
    }
  }
}
