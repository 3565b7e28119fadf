package io.headgate.pool.runtime;

import io.headgate.kit.position.WatchPosition;
import io.headgate.pool.core.draft.ConfigurationState;
import io.headgate.pool.core.draft.PreparedChange;
import io.headgate.pool.core.draft.Provisioned;
import io.headgate.pool.core.name.NodeId;
import io.headgate.pool.core.name.PoolId;
import io.headgate.pool.core.name.TenantId;
import io.headgate.pool.core.node.InventoryBounds;
import io.headgate.pool.core.node.Node;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// One snapshot of the stored supply.
public interface SupplyView {
  /// The configuration of a tenant; empty with version 0 for an unknown tenant.
  ConfigurationState state(TenantId tenant);

  Optional<Provisioned> version(TenantId tenant, long version);

  /// Versions below `before`, newest first, without their contents.
  List<Provisioned> versions(TenantId tenant, long before, int limit);

  /// Whether the nodes of a provisioned pool turn MIG on.
  boolean migAuto(TenantId tenant, PoolId pool);

  /// The bound of first reports to a provisioned pool; empty: the pool is absent.
  Optional<InventoryBounds.OfPool> bounds(TenantId tenant, PoolId pool);

  Optional<Node> node(TenantId tenant, NodeId id);

  /// Nodes with ids after `after`, by id.
  List<Node> nodes(TenantId tenant, Optional<NodeId> after, int limit);

  CatalogRange catalogRange();

  /// The changes after `version`, each item once; `version` must be within the range.
  List<CatalogChange> changesAfter(long version);

  /// The configurations in force of those `tenants` that have one.
  Map<TenantId, Provisioned> inForce(List<TenantId> tenants);

  /// The existing ones of `nodes`.
  List<Node> nodes(List<CatalogChange.NodeChange> nodes);

  /// Every configuration in force.
  Map<TenantId, Provisioned> allInForce();

  /// The undecided changes of those `tenants` that have one.
  Map<TenantId, PreparedChange> prepared(List<TenantId> tenants);

  /// Every undecided change.
  Map<TenantId, PreparedChange> allPrepared();

  /// Every node.
  List<Node> allNodes();

  /// The range of known versions of the catalog.
  ///
  /// @param newest position of the catalog
  /// @param horizon the oldest version from which changes are known
  record CatalogRange(WatchPosition newest, long horizon) {
    /// Whether a watcher at `seen` can get changes instead of a snapshot.
    public boolean knowsChangesAfter(WatchPosition seen) {
      return seen.incarnation().equals(newest.incarnation())
          && seen.version() > 0
          && seen.version() >= horizon
          && seen.version() <= newest.version();
    }
  }
}
