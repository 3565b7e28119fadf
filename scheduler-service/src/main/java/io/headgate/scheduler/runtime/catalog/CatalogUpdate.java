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
  /// @param prepared by changes that are not decided yet, for tenants of this step; a tenant of
  ///   `supplies` or `removedTenants` that is not among them has none
  record OfSupply(
      Batch.CatalogChange durable,
      List<Supply> supplies,
      List<Supply> prepared,
      List<TenantId> removedTenants,
      List<Supply.Machine> machines,
      List<NodeId> removedNodes)
      implements CatalogUpdate {
    public OfSupply {
      supplies = List.copyOf(supplies);
      prepared = List.copyOf(prepared);
      removedTenants = List.copyOf(removedTenants);
      machines = List.copyOf(machines);
      removedNodes = List.copyOf(removedNodes);
    }

    /// A step without undecided changes.
    public OfSupply(
        Batch.CatalogChange durable,
        List<Supply> supplies,
        List<TenantId> removedTenants,
        List<Supply.Machine> machines,
        List<NodeId> removedNodes) {
      this(durable, supplies, List.of(), removedTenants, machines, removedNodes);
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
