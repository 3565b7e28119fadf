package io.headgate.policy.runtime.port;

import io.headgate.kit.decision.FieldChange;
import io.headgate.policy.core.access.AuditFields;
import io.headgate.policy.core.name.TenantId;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// An entry of the audit log, which is never deleted. It holds no secret.
///
/// @param actor the caller
/// @param action name of the RPC: `UpdatePolicy`
/// @param target resource name
/// @param refusal reason of the refusal; absent: the action was done
/// @param changes of single fields
public record AuditEntry(
    Instant at,
    Optional<TenantId> tenant,
    Actor actor,
    String action,
    String target,
    Optional<String> refusal,
    List<FieldChange> changes) {

  /// The caller and its address.
  public record Actor(String subject, String address, String requestId) {
    public static final String NOBODY = "anonymous";

    public static Actor of(Origin origin) {
      String subject = origin.caller().map(caller -> caller.subject()).orElse(NOBODY);
      return new Actor(subject, origin.address(), origin.requestId());
    }
  }

  public AuditEntry {
    changes = List.copyOf(changes);
  }

  /// The fields that differ, by name. Values that may be secrets are hidden.
  ///
  /// @param before text by field
  public static List<FieldChange> changes(Map<String, String> before, Map<String, String> after) {
    return FieldChange.between(before, after).stream()
        .map(change -> AuditFields.isSecret(change.field()) ? change.hidden() : change)
        .sorted(Comparator.comparing(FieldChange::field))
        .toList();
  }
}
