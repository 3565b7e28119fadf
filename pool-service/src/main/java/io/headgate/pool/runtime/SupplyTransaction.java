package io.headgate.pool.runtime;

import io.headgate.pool.core.configuration.Configuration;
import io.headgate.pool.core.draft.ConfigurationState;
import io.headgate.pool.core.draft.Draft;
import io.headgate.pool.core.draft.DraftDecisions;
import io.headgate.pool.core.draft.PreparedChange;
import io.headgate.pool.core.draft.Provisioned;
import io.headgate.pool.core.draft.Stamp;
import io.headgate.pool.core.name.NodeId;
import io.headgate.pool.core.name.TenantId;
import io.headgate.pool.core.node.Node;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/// One transaction that changes the supply.
public interface SupplyTransaction {
  /// The stored answer of the first request with this key, or else the answer to the result of
  /// `change`.
  <T> byte[] once(IdempotentRequest<T> once, Supplier<T> change);

  /// A tenant's configuration, locked until the transaction ends.
  ConfigurationState lockState(TenantId tenant);

  /// Stores `configuration` as the draft.
  Draft putDraft(TenantId tenant, long baseVersion, Configuration configuration, Stamp stamp);

  /// Forgets the draft with its content.
  void deleteDraft(TenantId tenant);

  /// Puts a stored content in force as the next version. A draft with that content is dropped.
  void provision(TenantId tenant, Provisioned next);

  /// Stores a change that is not decided yet.
  ///
  /// @param next the configuration that it would put in force; empty: the supply stays
  PreparedChange prepare(
      TenantId tenant, DraftDecisions.Wanted wanted, Optional<Configuration> next, Stamp stamp);

  /// Forgets the undecided change, but not its content.
  void deletePrepared(TenantId tenant);

  /// Forgets a content that nothing points at.
  void deleteContent(TenantId tenant, long content);

  /// Whether a change with this id came into force.
  boolean isCommitted(TenantId tenant, String change);

  /// A node, locked until the transaction ends. The lock also covers an absent node.
  Optional<Node> lockNode(TenantId tenant, NodeId id);

  void putNode(Node node);

  void deleteNode(TenantId tenant, NodeId id);

  /// All nodes of a tenant.
  List<Node> nodes(TenantId tenant);

  /// Notifies watchers when the transaction commits.
  void changed(CatalogChange change);

  void audit(AuditEntry entry);
}
