package io.headgate.pool.core.node;

import io.headgate.pool.core.name.NodeId;
import io.headgate.pool.core.name.PoolId;
import io.headgate.pool.core.name.TenantId;
import java.time.Instant;
import java.util.Optional;
import java.util.SortedMap;

/// A machine in one pool.
///
/// @param labels free words for people and later rules
/// @param inventory the last report that needed no approval, or was approved
/// @param drain the operator's setting, which registration does not change
/// @param trust how far its reports are believed
/// @param undrainedAt when an operator last put it into service; absent: never
/// @param createdAt first registration
/// @param updatedAt last change
public record Node(
    TenantId tenant,
    NodeId id,
    Membership membership,
    SortedMap<String, String> labels,
    Inventory inventory,
    Drain drain,
    Trust trust,
    Optional<Instant> undrainedAt,
    Instant createdAt,
    Instant updatedAt) {

  /// The pool of a node. An admin may have moved it since it joined.
  ///
  /// @param pool now
  /// @param joined of the token with which it registered last
  public record Membership(PoolId pool, PoolId joined) {
    static Membership joining(PoolId pool) {
      return new Membership(pool, pool);
    }

    /// After a registration with a token of `tokenPool`: a move holds until the machine joins anew.
    Membership registering(PoolId tokenPool) {
      return tokenPool.equals(joined) ? this : joining(tokenPool);
    }

    Membership movedTo(PoolId newPool) {
      return new Membership(newPool, joined);
    }
  }

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

  /// Its pool after a registration with a token of `tokenPool`.
  public PoolId poolAfter(PoolId tokenPool) {
    return membership.registering(tokenPool).pool();
  }

  /// Its pool now.
  public PoolId pool() {
    return membership.pool();
  }

  Node with(Membership newMembership, Inventory newInventory, Trust newTrust, Instant now) {
    return new Node(
        tenant,
        id,
        newMembership,
        labels,
        newInventory,
        drain,
        newTrust,
        undrainedAt,
        createdAt,
        now);
  }

  Node with(Trust newTrust, Instant now) {
    return with(membership, inventory, newTrust, now);
  }

  Node with(Membership newMembership, Instant now) {
    return with(newMembership, inventory, trust, now);
  }

  Node with(SortedMap<String, String> newLabels, Instant now) {
    return new Node(
        tenant, id, membership, newLabels, inventory, drain, trust, undrainedAt, createdAt, now);
  }

  Node with(Drain newDrain, Instant now) {
    return new Node(
        tenant,
        id,
        membership,
        labels,
        inventory,
        newDrain,
        trust,
        newDrain.draining() ? undrainedAt : Optional.of(now),
        createdAt,
        now);
  }
}
