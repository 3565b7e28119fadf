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

/// What one tenant has, and how it is used now. Lists are complete and in the order of ids.
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
