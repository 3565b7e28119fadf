package io.headgate.kit.auth;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The caller as its token states it; no field of a request changes it.
///
/// @param subject resource name: `tenants/acme/users/ada`, `operators/root`, `services/scheduler`
/// @param tenant id of the caller's tenant; absent for roles that are not bound to a tenant
/// @param node id of the node that calls; present exactly for {@link Role#NODE}
/// @param groups ids of the caller's groups in its tenant
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

  /// Whether the principal may see the tenant.
  public boolean mayEnter(String tenantId) {
    return !role.isBoundToTenant() || tenantId.equals(tenant);
  }
}
