package io.headgate.pool.core.node;

import java.util.Comparator;
import java.util.List;

/// What a machine reports of itself.
///
/// @param devices by index
/// @param cpuMillis for jobs
/// @param memoryBytes for jobs
/// @param simulated the devices do not exist
/// @param software what reports
public record Inventory(
    List<Device> devices, long cpuMillis, long memoryBytes, boolean simulated, Software software) {
  public Inventory {
    devices = devices.stream().sorted(Comparator.comparingInt(Device::index)).toList();
  }

  /// The driver that found the devices, the agent that asked it, and where, for people.
  public record Software(String driver, String agentVersion, String hostname) {}
}
