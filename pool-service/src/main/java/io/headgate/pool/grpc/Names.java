package io.headgate.pool.grpc;

import io.headgate.kit.auth.Principals;
import io.headgate.kit.failure.Refusal;
import io.headgate.pool.core.name.NodeId;
import io.headgate.pool.core.name.PoolId;
import io.headgate.pool.core.name.ProfileId;
import io.headgate.pool.core.name.TenantId;
import io.headgate.type.NameRule;
import java.util.function.Function;

/// Parses the resource names of requests, and checks that the caller may see the tenant.
final class Names {
  private static final String TENANTS = "tenants/";

  private Names() {}

  /// A resource of a tenant that the caller may see.
  record Named<T>(TenantId tenant, T id) {}

  /// The tenant in the `parent` of a request.
  static TenantId parent(String parent) {
    String tenant = parent.startsWith(TENANTS) ? parent.substring(TENANTS.length()) : "";
    if (!NameRule.isValid(tenant)) {
      throw invalid("parent", parent, "tenants/ID");
    }
    return enter(tenant);
  }

  static Named<PoolId> pool(String field, String name) {
    return named(field, name, "pools", PoolId::new);
  }

  static Named<ProfileId> profile(String field, String name) {
    return named(field, name, "profiles", ProfileId::new);
  }

  static Named<NodeId> node(String field, String name) {
    return named(field, name, "nodes", NodeId::new);
  }

  static String of(TenantId tenant, PoolId pool) {
    return TENANTS + tenant + "/pools/" + pool;
  }

  static String of(TenantId tenant, ProfileId profile) {
    return TENANTS + tenant + "/profiles/" + profile;
  }

  static String of(TenantId tenant, NodeId node) {
    return TENANTS + tenant + "/nodes/" + node;
  }

  /// The id in a name inside of a tenant's configuration. A bare id is accepted, too. Other text is
  /// returned as it is, and the check of ids reports it.
  static String idWithin(TenantId tenant, String collection, String name) {
    String prefix = TENANTS + tenant + "/" + collection + "/";
    return name.startsWith(prefix) ? name.substring(prefix.length()) : name;
  }

  private static <T> Named<T> named(
      String field, String name, String collection, Function<String, T> toId) {
    String[] parts = name.split("/", -1);
    boolean shaped =
        parts.length == 4
            && parts[0].equals("tenants")
            && NameRule.isValid(parts[1])
            && parts[2].equals(collection);
    if (!shaped) {
      throw invalid(field, name, "tenants/ID/" + collection + "/ID");
    }
    TenantId tenant = enter(parts[1]);
    if (!NameRule.isValid(parts[3])) {
      throw Refusal.invalidField(
              "INVALID_NAME", field, "'" + parts[3] + "' cannot be an id: write " + NameRule.WORDS)
          .exception();
    }
    return new Named<>(tenant, toId.apply(parts[3]));
  }

  private static TenantId enter(String tenant) {
    return new TenantId(Principals.requireTenant(TENANTS + tenant));
  }

  private static RuntimeException invalid(String field, String name, String form) {
    return Refusal.invalidField(
            "INVALID_NAME",
            field,
            "'"
                + name
                + "' is not a name of the form "
                + form
                + ", where an ID has "
                + NameRule.WORDS)
        .exception();
  }
}
