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

/// Changes that become durable together or not at all.
public interface SupplyTransaction {
  /// The answer to the first request like this one; if there was none, to what `change` makes.
  <T> byte[] once(Once<T> once, Supplier<T> change);

  /// A tenant's configuration, which nobody else changes until the transaction ends.
  ConfigurationState lockState(TenantId tenant);

  /// Stores `configuration` as the draft.
  Draft putDraft(TenantId tenant, long baseVersion, Configuration configuration, Stamp stamp);

  void deleteDraft(TenantId tenant);

  /// Puts a draft in force as the next version, and forgets it as a draft.
  void provision(TenantId tenant, Provisioned next);

  /// A node, which nobody else changes until the transaction ends; also if it does not exist yet.
  Optional<Node> lockNode(TenantId tenant, NodeId id);

  void putNode(Node node);

  void deleteNode(TenantId tenant, NodeId id);

  /// All nodes of a tenant.
  List<Node> nodes(TenantId tenant);

  /// Tells watchers; part of the transaction.
  void changed(CatalogChange change);

  void audit(AuditEntry entry);
}
