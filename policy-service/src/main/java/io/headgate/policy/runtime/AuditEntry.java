package io.headgate.policy.runtime;

import io.headgate.policy.core.name.TenantId;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;

/// Something that happened and is never forgotten. Secrets are in no part of it.
///
/// @param actor subject of who did it
/// @param action what was done, as the RPC is called: `UpdatePolicy`
/// @param target resource name of what it was done to
/// @param refusal why it was refused; absent: it was done
/// @param changes of single fields
public record AuditEntry(
    Instant at,
    Optional<TenantId> tenant,
    Actor actor,
    String action,
    String target,
    Optional<String> refusal,
    List<FieldChange> changes) {

  /// Who did it, and from where.
  public record Actor(String subject, String address, String requestId) {
    public static final String NOBODY = "anonymous";

    public static Actor of(Origin origin) {
      String subject = origin.caller().map(caller -> caller.subject()).orElse(NOBODY);
      return new Actor(subject, origin.address(), origin.requestId());
    }
  }

  /// A field, before and after.
  public record FieldChange(String field, String before, String after) {}

  public AuditEntry {
    changes = List.copyOf(changes);
  }

  /// What differs between two descriptions by field.
  public static List<FieldChange> changes(Map<String, String> before, Map<String, String> after) {
    List<FieldChange> changes = new ArrayList<>();
    TreeSet<String> fields = new TreeSet<>(before.keySet());
    fields.addAll(after.keySet());
    for (String field : fields) {
      String was = before.getOrDefault(field, "");
      String is = after.getOrDefault(field, "");
      if (!was.equals(is)) {
        changes.add(new FieldChange(field, was, is));
      }
    }
    return changes;
  }
}
