package io.headgate.agent.core;

import java.util.List;

/// Where the workers of a gang find each other, as the scheduler says once all are prepared.
///
/// @param hosts address of each worker's node, by worker
/// @param masterPort on the node of worker 0; 0: none was reserved
/// @param localRank place of this worker among those on its node
/// @param localWorldSize workers on its node
/// @param nodeRank place of its node, in the order of the nodes' first workers
public record Rendezvous(
    List<String> hosts, int masterPort, int localRank, int localWorldSize, int nodeRank) {
  public Rendezvous {
    hosts = List.copyOf(hosts);
    for (String host : hosts) {
      if (!host.matches("[0-9A-Za-z.:_%-]{1,253}")) {
        throw new IllegalArgumentException("'" + host + "' is no address of a node");
      }
    }
  }
}
