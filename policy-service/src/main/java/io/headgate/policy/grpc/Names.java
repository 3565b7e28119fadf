package io.headgate.policy.grpc;

import io.headgate.kit.auth.Principals;
import io.headgate.kit.failure.Refusal;
import io.headgate.kit.failure.RefusalException;
import io.headgate.policy.core.key.KeyId;
import io.headgate.policy.core.name.TenantId;
import io.headgate.type.NameRule;
import java.util.function.Function;
import java.util.function.Predicate;

/// Parses resource names. A tenant that the caller may not see is refused like an absent one.
final class Names {
  private static final String TENANTS = "tenants/";

  private Names() {}

  /// The tenant that `parent` names, if the caller may see it.
  ///
  /// @param field of the request that holds it
  static TenantId tenant(String field, String parent) {
    if (!parent.startsWith(TENANTS) || !NameRule.isValid(parent.substring(TENANTS.length()))) {
      throw invalid(field, parent, "tenants/TENANT");
    }
    return new TenantId(Principals.requireTenant(parent));
  }

  /// The parts of a resource name.
  record Child<T>(TenantId tenant, T id) {}

  /// Parses `tenants/TENANT/COLLECTION/ID`, if the caller may see the tenant.
  static <T> Child<T> child(
      String field, String name, String collection, Function<String, T> toId) {
    return child(field, name, collection, NameRule::isValid, toId);
  }

  /// Parses a name like [#child(String, String, String, Function)], with a generated id.
  static Child<KeyId> secret(String field, String name, String collection) {
    return child(field, name, collection, KeyId::isValid, KeyId::new);
  }

  private static <T> Child<T> child(
      String field,
      String name,
      String collection,
      Predicate<String> isId,
      Function<String, T> toId) {
    String[] parts = name.split("/", -1);
    if (parts.length != 4
        || !parts[0].equals("tenants")
        || !NameRule.isValid(parts[1])
        || !parts[2].equals(collection)
        || !isId.test(parts[3])) {
      throw invalid(field, name, "tenants/TENANT/" + collection + "/ID");
    }
    TenantId tenant = new TenantId(Principals.requireTenant(TENANTS + parts[1]));
    return new Child<>(tenant, toId.apply(parts[3]));
  }

  private static RefusalException invalid(String field, String value, String form) {
    return Refusal.invalidField(
            "INVALID_NAME", field, "'" + value + "' is not a name of this kind: write " + form)
        .exception();
  }
}
