package io.headgate.pool.runtime;

import io.headgate.pool.core.configuration.Configuration;
import io.headgate.pool.core.draft.ConfigurationState;
import io.headgate.pool.core.draft.Draft;
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

  void deleteDraft(TenantId tenant);

  /// Provisions a draft as the next version and drops the draft.
  void provision(TenantId tenant, Provisioned next);

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
