package io.headgate.kit.auth;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Who calls, as the token says and nothing else: no field of a request ever changes it.
///
/// @param subject resource name: `tenants/acme/users/ada`, `operators/root`, `services/scheduler`
/// @param tenant id of its tenant; absent for roles that are not bound to one
/// @param node id of the node that it speaks for; present exactly for {@link Role#NODE}
/// @param groups ids of its groups in its tenant
/// @param attributes further statements of the issuer, by name
public record Principal(
    String subject,
    Role role,
    @Nullable String tenant,
    @Nullable String node,
    List<String> groups,
    Map<String, String> attributes) {

  public Principal {
    if (subject.isBlank()) {
      throw new IllegalArgumentException("a principal has a subject");
    }
    if (role.isBoundToTenant() != (tenant != null)) {
      throw new IllegalArgumentException(
          role.claim() + (tenant == null ? " needs a tenant" : " has no tenant"));
    }
    if ((role == Role.NODE) != (node != null)) {
      throw new IllegalArgumentException(
          role.claim() + (node == null ? " needs a node" : " has no node"));
    }
    groups = List.copyOf(groups);
    attributes = Map.copyOf(attributes);
  }

  public static Principal operator(String subject) {
    return new Principal(subject, Role.PLATFORM_OPERATOR, null, null, List.of(), Map.of());
  }

  public static Principal service(String subject) {
    return new Principal(subject, Role.SERVICE, null, null, List.of(), Map.of());
  }

  /// An admin, member or service account of `tenant`.
  public static Principal ofTenant(String subject, Role role, String tenant, List<String> groups) {
    return new Principal(subject, role, tenant, null, groups, Map.of());
  }

  public static Principal node(
      String subject, String tenant, String node, Map<String, String> attributes) {
    return new Principal(subject, Role.NODE, tenant, node, List.of(), attributes);
  }

  /// Whether the principal may know of anything in `tenantId`.
  public boolean mayEnter(String tenantId) {
    return !role.isBoundToTenant() || tenantId.equals(tenant);
  }
}
