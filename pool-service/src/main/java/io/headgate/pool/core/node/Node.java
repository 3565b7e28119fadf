package io.headgate.pool.core.node;

import io.headgate.pool.core.name.NodeId;
import io.headgate.pool.core.name.PoolId;
import io.headgate.pool.core.name.TenantId;
import java.time.Instant;
import java.util.Optional;

/// A machine in one pool.
///
/// @param inventory the last report that needed no approval, or was approved
/// @param drain the operator's setting, which registration does not change
/// @param trust how far its reports are believed
/// @param undrainedAt when an operator last put it into service; absent: never
/// @param createdAt first registration
/// @param updatedAt last change
public record Node(
    TenantId tenant,
    NodeId id,
    PoolId pool,
    Inventory inventory,
    Drain drain,
    Trust trust,
    Optional<Instant> undrainedAt,
    Instant createdAt,
    Instant updatedAt) {

  /// Whether a node takes no new work.
  ///
  /// @param reason in the operator's words; empty: none given
  public record Drain(boolean draining, String reason) {
    public static final Drain NONE = new Drain(false, "");
  }

  /// How far a node is believed.
  ///
  /// @param approved what it may claim
  /// @param quarantine present while it claims more: nothing is placed there
  public record Trust(Claims approved, Optional<Quarantine> quarantine) {}

  /// A report that waits for an admin's approval.
  ///
  /// @param reason in one sentence
  public record Quarantine(Claims claims, String reason) {}

  Node with(PoolId newPool, Inventory newInventory, Trust newTrust, Instant now) {
    return new Node(
        tenant, id, newPool, newInventory, drain, newTrust, undrainedAt, createdAt, now);
  }

  Node with(Trust newTrust, Instant now) {
    return with(pool, inventory, newTrust, now);
  }

  Node with(Drain newDrain, Instant now) {
    return new Node(
        tenant,
        id,
        pool,
        inventory,
        newDrain,
        trust,
        newDrain.draining() ? undrainedAt : Optional.of(now),
        createdAt,
        now);
  }
}
