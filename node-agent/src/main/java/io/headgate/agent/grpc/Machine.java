package io.headgate.agent.grpc;

import io.headgate.agent.driver.GpuDriver;
import io.headgate.proto.pool.v1.JobFiles;
import io.headgate.proto.pool.v1.Node;
import java.util.List;
import java.util.Optional;

/// The machine as it registers itself.
///
/// @param nodeId id that it wants in its tenant
/// @param cpuMillis for jobs
/// @param memoryBytes for jobs
/// @param storages names of those that its settings have a path for
/// @param jobFiles which of its files its jobs see; empty: not known
public record Machine(
    String nodeId,
    String hostname,
    String agentVersion,
    String bootId,
    long cpuMillis,
    long memoryBytes,
    List<String> storages,
    Optional<JobFiles> jobFiles) {
  public Machine {
    storages = List.copyOf(storages);
  }

  /// Its report, without its devices.
  ///
  /// @param name resource name of the node
  Node.Builder report(String name, GpuDriver driver) {
    Node.Builder node = Node.newBuilder();
    jobFiles.ifPresent(node::setJobFiles);
    return node.setName(name)
        .setCpuMillis(cpuMillis)
        .setMemoryBytes(memoryBytes)
        .addAllStorages(storages)
        .setSimulated(driver.isSimulated())
        .setDriver(driver.description())
        .setAgentVersion(agentVersion)
        .setHostname(hostname);
  }
}
