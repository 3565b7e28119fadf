package io.headgate.pool.runtime;

import io.headgate.pool.core.name.NodeId;
import io.headgate.pool.core.name.TenantId;

/// Something that watchers of the catalog see has changed.
public sealed interface CatalogChange {
  TenantId tenant();

  /// Another configuration is in force.
  record ConfigurationChange(TenantId tenant) implements CatalogChange {}

  /// A node joined, changed or went.
  record NodeChange(TenantId tenant, NodeId node) implements CatalogChange {}
}
