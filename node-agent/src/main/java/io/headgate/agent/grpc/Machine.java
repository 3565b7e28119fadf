package io.headgate.agent.grpc;

import io.headgate.agent.driver.GpuDriver;
import io.headgate.proto.pool.v1.Node;
import java.util.List;

/// The machine as it registers itself.
///
/// @param nodeId id that it wants in its tenant
/// @param cpuMillis for jobs
/// @param memoryBytes for jobs
/// @param storages names of those that its settings have a path for
public record Machine(
    String nodeId,
    String hostname,
    String agentVersion,
    String bootId,
    long cpuMillis,
    long memoryBytes,
    List<String> storages) {
  public Machine {
    storages = List.copyOf(storages);
  }

  /// Its report, without its devices.
  ///
  /// @param name resource name of the node
  Node.Builder report(String name, GpuDriver driver) {
    return Node.newBuilder()
        .setName(name)
        .setCpuMillis(cpuMillis)
        .setMemoryBytes(memoryBytes)
        .addAllStorages(storages)
        .setSimulated(driver.isSimulated())
        .setDriver(driver.description())
        .setAgentVersion(agentVersion)
        .setHostname(hostname);
  }
}
