package io.headgate.sdk.client;

import io.headgate.sdk.config.Pool;
import io.headgate.sdk.config.Profile;
import io.headgate.sdk.model.Node;
import io.headgate.sdk.model.Usage;
import io.headgate.sdk.wire.CatalogCalls;
import io.headgate.sdk.wire.Connection;
import io.headgate.sdk.wire.SupplyMessages;
import io.headgate.sdk.wire.UsageMessages;
import java.util.List;
import java.util.Map;

/// The pools, nodes, profiles, policies and queues of one tenant, with their present use. Lists are
/// complete and ordered by id.
public final class CatalogClient {
  private final CatalogCalls calls;

  CatalogClient(Connection connection, String tenant) {
    this.calls = new CatalogCalls(connection, tenant);
  }

  public List<Pool> pools() {
    return calls.pools().stream().map(SupplyMessages::pool).toList();
  }

  public List<Profile> profiles() {
    return calls.profiles().stream().map(SupplyMessages::profile).toList();
  }

  public List<Node> nodes() {
    return calls.nodes().stream().map(SupplyMessages::node).toList();
  }

  public Node node(String node) {
    return SupplyMessages.node(calls.node(node));
  }

  /// Takes a node out of service: it gets no new work, and its running jobs continue.
  ///
  /// @param reason why, for people; may be empty
  public Node drain(String node, String reason) {
    return SupplyMessages.node(calls.drain(node, reason));
  }

  /// Puts a node back into service.
  public Node undrain(String node) {
    return SupplyMessages.node(calls.undrain(node));
  }

  /// Believes what the node in quarantine reports.
  ///
  /// @param etag of the report that was looked at; another report is refused
  public Node approve(String node, String etag) {
    return SupplyMessages.node(calls.approve(node, etag));
  }

  /// Puts a node into another pool. Its running jobs go on, and count in the pool where they
  /// started.
  public Node move(String node, String pool) {
    return SupplyMessages.node(calls.move(node, pool));
  }

  /// Refuses what [#move] would refuse, and moves nothing.
  public void checkMove(String node, String pool) {
    calls.checkMove(node, pool);
  }

  /// Sets labels of a node, and removes those with the keys `removed`.
  public Node label(String node, Map<String, String> set, List<String> removed) {
    return SupplyMessages.node(calls.label(node, set, removed));
  }

  /// Removes a node that does not come back. If it is out of contact, its jobs are given up and
  /// requeued after `stop_after`, or at once where `stop_after` is never.
  public void deleteNode(String node) {
    calls.deleteNode(node);
  }

  public List<Usage.OfPolicy> policyUsages() {
    return calls.policyUsages().stream().map(UsageMessages::usage).toList();
  }

  public List<Usage.OfQueue> queueUsages() {
    return calls.queueUsages().stream().map(UsageMessages::usage).toList();
  }

  public List<Usage.OfPool> poolUsages() {
    return calls.poolUsages().stream().map(UsageMessages::usage).toList();
  }

  public List<Usage.OfNode> nodeUsages() {
    return calls.nodeUsages().stream().map(UsageMessages::usage).toList();
  }
}
