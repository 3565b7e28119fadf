package io.headgate.pool.runtime;

import io.headgate.pool.core.name.NodeId;
import io.headgate.pool.core.name.TenantId;

/// A change that watchers of the catalog see.
public sealed interface CatalogChange {
  TenantId tenant();

  /// Another configuration came into force.
  record ConfigurationChange(TenantId tenant) implements CatalogChange {}

  /// A node joined, changed or left.
  record NodeChange(TenantId tenant, NodeId node) implements CatalogChange {}
}
