package io.headgate.pool.runtime;

import io.headgate.kit.position.WatchPosition;
import io.headgate.pool.core.draft.PreparedChange;
import io.headgate.pool.core.draft.Provisioned;
import io.headgate.pool.core.name.TenantId;
import io.headgate.pool.core.node.Node;
import io.headgate.pool.runtime.CatalogChange.ConfigurationChange;
import io.headgate.pool.runtime.CatalogChange.NodeChange;
import io.headgate.pool.runtime.SupplyView.CatalogRange;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// The supply of all tenants, as other services follow it. Thread-safe.
public final class Catalog {
  private final SupplyStore store;

  public Catalog(SupplyStore store) {
    this.store = store;
  }

  /// The step for a watcher of an older version or another incarnation.
  ///
  /// @param position after the step
  /// @param snapshot whether it is everything, so that earlier state is void
  /// @param configurations in force, new or changed
  /// @param prepared of the tenants whose configuration is new, changed or gone: those not decided
  /// @param nodes new or changed
  public record Update(
      WatchPosition position,
      boolean snapshot,
      Map<TenantId, Provisioned> configurations,
      Map<TenantId, PreparedChange> prepared,
      List<TenantId> deletedTenants,
      List<Node> nodes,
      List<NodeChange> deletedNodes) {}

  /// The step from `seen` to the newest version; empty if `seen` is the newest.
  public Optional<Update> after(WatchPosition seen) {
    return store.readAcrossTenants(view -> {
      CatalogRange range = view.catalogRange();
      if (!range.knowsChangesAfter(seen)) {
        return Optional.of(snapshot(view, range.newest()));
      }
      return seen.equals(range.newest())
          ? Optional.empty()
          : Optional.of(delta(view, seen.version(), range.newest()));
    });
  }

  private static Update snapshot(SupplyView view, WatchPosition newest) {
    return new Update(
        newest, true, view.allInForce(), view.allPrepared(), List.of(), view.allNodes(), List.of());
  }

  private static Update delta(SupplyView view, long seen, WatchPosition newest) {
    Set<TenantId> tenants = new LinkedHashSet<>();
    Set<NodeChange> changedNodes = new LinkedHashSet<>();
    for (CatalogChange change : view.changesAfter(seen)) {
      switch (change) {
        case ConfigurationChange(TenantId tenant) -> tenants.add(tenant);
        case NodeChange node -> changedNodes.add(node);
      }
    }
    Map<TenantId, Provisioned> inForce = view.inForce(List.copyOf(tenants));
    Map<TenantId, PreparedChange> prepared = view.prepared(List.copyOf(tenants));
    List<Node> nodes = view.nodes(List.copyOf(changedNodes));
    List<TenantId> deletedTenants =
        tenants.stream()
            .filter(tenant -> !inForce.containsKey(tenant) && !prepared.containsKey(tenant))
            .toList();
    Set<NodeChange> deletedNodes = new LinkedHashSet<>(changedNodes);
    nodes.forEach(node -> deletedNodes.remove(new NodeChange(node.tenant(), node.id())));
    return new Update(
        newest, false, inForce, prepared, deletedTenants, nodes, new ArrayList<>(deletedNodes));
  }
}
