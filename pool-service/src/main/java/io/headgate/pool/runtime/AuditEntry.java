package io.headgate.pool.runtime;

import io.headgate.kit.decision.FieldChange;
import io.headgate.pool.core.name.TenantId;
import java.util.List;

/// One change for the audit log.
///
/// @param target resource name
public record AuditEntry(
    TenantId tenant, Action action, String target, List<FieldChange> differences) {
  /// Differences per entry. A larger change is cut, because provisioned versions are stored in
  /// full.
  public static final int MAX_DIFFERENCES = 200;

  /// The audited actions.
  public enum Action {
    EDIT_DRAFT,
    DISCARD_DRAFT,
    PROVISION,
    PREPARE_CHANGE,
    ABANDON_CHANGE,
    REGISTER_NODE,
    DRAIN_NODE,
    UNDRAIN_NODE,
    APPROVE_NODE,
    MOVE_NODE,
    LABEL_NODE,
    DELETE_NODE
  }

  public AuditEntry {
    differences = differences.stream().limit(MAX_DIFFERENCES).toList();
  }
}
