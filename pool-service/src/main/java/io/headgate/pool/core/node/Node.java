package io.headgate.pool.core.node;

import io.headgate.pool.core.name.NodeId;
import io.headgate.pool.core.name.PoolId;
import io.headgate.pool.core.name.TenantId;
import java.time.Instant;

/// A machine in one pool.
///
/// @param drain the operator's setting, which registration does not change
/// @param createdAt first registration
/// @param updatedAt last change
public record Node(
    TenantId tenant,
    NodeId id,
    PoolId pool,
    Inventory inventory,
    Drain drain,
    Instant createdAt,
    Instant updatedAt) {

  /// Whether a node takes no new work.
  ///
  /// @param reason in the operator's words; empty: none given
  public record Drain(boolean draining, String reason) {
    public static final Drain NONE = new Drain(false, "");
  }

  Node with(PoolId newPool, Inventory newInventory, Instant now) {
    return new Node(tenant, id, newPool, newInventory, drain, createdAt, now);
  }

  Node with(Drain newDrain, Instant now) {
    return new Node(tenant, id, pool, inventory, newDrain, createdAt, now);
  }
}
