package io.headgate.pool.runtime;

import io.headgate.kit.watch.WatchPosition;
import io.headgate.pool.core.draft.ConfigurationState;
import io.headgate.pool.core.draft.Provisioned;
import io.headgate.pool.core.name.NodeId;
import io.headgate.pool.core.name.PoolId;
import io.headgate.pool.core.name.TenantId;
import io.headgate.pool.core.node.Node;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// What is stored, as of one moment.
public interface SupplyView {
  /// A tenant that has nothing has an empty configuration with version 0.
  ConfigurationState state(TenantId tenant);

  Optional<Provisioned> version(TenantId tenant, long version);

  /// Versions below `before`, newest first, without their contents.
  List<Provisioned> versions(TenantId tenant, long before, int limit);

  /// Whether the nodes of a pool, as it is in force, turn MIG on.
  boolean migAuto(TenantId tenant, PoolId pool);

  Optional<Node> node(TenantId tenant, NodeId id);

  /// Nodes with ids after `after`, by id.
  List<Node> nodes(TenantId tenant, Optional<NodeId> after, int limit);

  CatalogRange catalogRange();

  /// What changed after `version`, each thing once; `version` is within the range.
  List<CatalogChange> changesAfter(long version);

  /// Configurations in force of `tenants` that have one.
  Map<TenantId, Provisioned> inForce(List<TenantId> tenants);

  /// Those of `nodes` that exist.
  List<Node> nodes(List<CatalogChange.NodeChange> nodes);

  /// Every configuration in force.
  Map<TenantId, Provisioned> allInForce();

  /// Every node.
  List<Node> allNodes();

  /// Which versions of the catalog there are.
  ///
  /// @param newest position of the catalog
  /// @param horizon the oldest version from which changes are known
  record CatalogRange(WatchPosition newest, long horizon) {
    /// Whether somebody who has come to `seen` can be told just the changes.
    public boolean knowsChangesAfter(WatchPosition seen) {
      return seen.incarnation().equals(newest.incarnation())
          && seen.version() > 0
          && seen.version() >= horizon
          && seen.version() <= newest.version();
    }
  }
}
