package io.headgate.scheduler.runtime.catalog;

import io.headgate.scheduler.core.catalog.TenantId;
import io.headgate.scheduler.core.node.NodeId;
import io.headgate.scheduler.runtime.record.Batch;
import java.util.List;

/// One step of a watched catalog.
public sealed interface CatalogUpdate {

  /// The part of the update that is stored.
  Batch.CatalogChange durable();

  /// Hardware changed.
  ///
  /// @param removedTenants whose configuration is gone
  record OfSupply(
      Batch.CatalogChange durable,
      List<Supply> supplies,
      List<TenantId> removedTenants,
      List<Supply.Machine> machines,
      List<NodeId> removedNodes)
      implements CatalogUpdate {
    public OfSupply {
      supplies = List.copyOf(supplies);
      removedTenants = List.copyOf(removedTenants);
      machines = List.copyOf(machines);
      removedNodes = List.copyOf(removedNodes);
    }
  }

  /// Rights changed.
  record OfAccess(Batch.CatalogChange durable, List<Access> accesses, List<TenantId> removedTenants)
      implements CatalogUpdate {
    public OfAccess {
      accesses = List.copyOf(accesses);
      removedTenants = List.copyOf(removedTenants);
    }
  }
}
