package io.headgate.pool.core.node;

import java.util.Comparator;
import java.util.List;

/// The hardware that a machine reports.
///
/// @param devices by index
/// @param cpuMillis for jobs
/// @param memoryBytes for jobs
/// @param simulated whether the devices do not exist
/// @param storages names of the storages that it has a path for, sorted
/// @param jobFiles which files of the machine its jobs see
/// @param software of the report
public record Inventory(
    List<Device> devices,
    long cpuMillis,
    long memoryBytes,
    boolean simulated,
    List<String> storages,
    JobFiles jobFiles,
    Software software) {
  public Inventory {
    storages = storages.stream().sorted().toList();
    devices = devices.stream().sorted(Comparator.comparingInt(Device::index)).toList();
  }

  /// This machine as one that can run nothing.
  Inventory withoutCapacity() {
    return new Inventory(List.of(), 0, 0, simulated, storages, jobFiles, software);
  }

  /// The driver that found the devices, the agent's version, and the hostname; for people.
  public record Software(String driver, String agentVersion, String hostname) {}
}
