package io.headgate.pool.runtime;

import io.headgate.kit.decision.FieldChange;
import io.headgate.pool.core.name.TenantId;
import java.util.List;

/// What somebody changed.
///
/// @param target resource name
public record AuditEntry(
    TenantId tenant, Action action, String target, List<FieldChange> differences) {
  /// Of one entry; a larger change is cut, for its versions are kept whole.
  public static final int MAX_DIFFERENCES = 200;

  /// What can be done to supply.
  public enum Action {
    EDIT_DRAFT,
    DISCARD_DRAFT,
    PROVISION,
    REGISTER_NODE,
    DRAIN_NODE,
    UNDRAIN_NODE,
    DELETE_NODE
  }

  public AuditEntry {
    differences = differences.stream().limit(MAX_DIFFERENCES).toList();
  }
}
