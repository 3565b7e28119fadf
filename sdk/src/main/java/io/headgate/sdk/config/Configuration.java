package io.headgate.sdk.config;

import java.util.List;
import org.jspecify.annotations.Nullable;

/// The configuration of a tenant: groups, pools, profiles, departments, policies and vaults, each
/// list in its own order.
///
/// @param tenant id of the tenant; null where the file leaves it to the caller's context
/// @param tenants tenants that share the pools; scenarios only
/// @param visibility of the members' jobs to each other
public record Configuration(
    @Nullable String tenant,
    List<Group> groups,
    List<Pool> pools,
    List<Profile> profiles,
    List<Department> departments,
    List<Policy> policies,
    List<Vault> vaults,
    List<Tenant> tenants,
    Visibility visibility) {
  public static final String API_VERSION = "headgate/v1";
  public static final String KIND = "Configuration";

  public Configuration {
    groups = List.copyOf(groups);
    pools = List.copyOf(pools);
    profiles = List.copyOf(profiles);
    departments = List.copyOf(departments);
    policies = List.copyOf(policies);
    vaults = List.copyOf(vaults);
    tenants = List.copyOf(tenants);
  }

  /// A configuration without departments and vaults, for a tenant that shares no pools.
  public Configuration(
      @Nullable String tenant,
      List<Group> groups,
      List<Pool> pools,
      List<Profile> profiles,
      List<Policy> policies) {
    this(
        tenant, groups, pools, profiles, List.of(), policies, List.of(), List.of(), Visibility.OWN);
  }

  public Configuration withTenant(String name) {
    return new Configuration(
        name, groups, pools, profiles, departments, policies, vaults, tenants, visibility);
  }
}
