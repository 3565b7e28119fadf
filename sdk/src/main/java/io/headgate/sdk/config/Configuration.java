package io.headgate.sdk.config;

import java.util.List;
import org.jspecify.annotations.Nullable;

/// The configuration of a tenant: groups, pools, profiles, departments, policies and vaults, each
/// list in its own order.
///
/// @param tenant id of the tenant; null where the file leaves it to the caller's context
/// @param tenants tenants that share the pools; scenarios only
/// @param visibility of the members' jobs to each other
/// @param parts of tenants in the pools; platform files only
/// @param budget of the tenant's jobs together; null: none
/// @param admins ids of exactly the users who govern the tenant; null: the file leaves them alone,
///   or the reader does not see them
public record Configuration(
    @Nullable String tenant,
    List<Group> groups,
    List<Pool> pools,
    List<Profile> profiles,
    List<Department> departments,
    List<Policy> policies,
    List<Vault> vaults,
    List<Tenant> tenants,
    Visibility visibility,
    List<TenantPart> parts,
    @Nullable Budget budget,
    @Nullable List<String> admins) {
  public static final String API_VERSION = "headgate/v1";
  public static final String KIND = "Configuration";

  /// The kind of a file about pools that several tenants share.
  public static final String PLATFORM_KIND = "Platform";

  /// The reserved tenant that owns those pools. Its configuration is a platform file.
  public static final String PLATFORM = "platform";

  public Configuration {
    groups = List.copyOf(groups);
    pools = List.copyOf(pools);
    profiles = List.copyOf(profiles);
    departments = List.copyOf(departments);
    policies = List.copyOf(policies);
    vaults = List.copyOf(vaults);
    tenants = List.copyOf(tenants);
    parts = List.copyOf(parts);
    admins = admins == null ? null : List.copyOf(admins);
  }

  /// A configuration that leaves the admins alone.
  public Configuration(
      @Nullable String tenant,
      List<Group> groups,
      List<Pool> pools,
      List<Profile> profiles,
      List<Department> departments,
      List<Policy> policies,
      List<Vault> vaults,
      List<Tenant> tenants,
      Visibility visibility,
      List<TenantPart> parts,
      @Nullable Budget budget) {
    this(
        tenant,
        groups,
        pools,
        profiles,
        departments,
        policies,
        vaults,
        tenants,
        visibility,
        parts,
        budget,
        null);
  }

  /// The configuration of a tenant that owns no shared pools and has no budget.
  public Configuration(
      @Nullable String tenant,
      List<Group> groups,
      List<Pool> pools,
      List<Profile> profiles,
      List<Department> departments,
      List<Policy> policies,
      List<Vault> vaults,
      List<Tenant> tenants,
      Visibility visibility) {
    this(
        tenant,
        groups,
        pools,
        profiles,
        departments,
        policies,
        vaults,
        tenants,
        visibility,
        List.of(),
        null);
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

  public Configuration withTenant(@Nullable String name) {
    return with(name, vaults, admins);
  }

  /// A configuration that states these users as admins; null: it leaves the admins alone.
  public Configuration withAdmins(@Nullable List<String> newAdmins) {
    return with(tenant, vaults, newAdmins);
  }

  /// With the environments of another one's vaults in place of those that are hidden here.
  Configuration withHiddenOf(Configuration other) {
    List<Vault> visible =
        vaults.stream()
            .map(vault -> vault.environmentHidden() ? shown(vault, other.vaults) : vault)
            .toList();
    return with(tenant, visible, admins);
  }

  private Configuration with(
      @Nullable String newTenant, List<Vault> newVaults, @Nullable List<String> newAdmins) {
    return new Configuration(
        newTenant,
        groups,
        pools,
        profiles,
        departments,
        policies,
        newVaults,
        tenants,
        visibility,
        parts,
        budget,
        newAdmins);
  }

  private static Vault shown(Vault hidden, List<Vault> others) {
    return others.stream()
        .filter(other -> other.name().equals(hidden.name()))
        .findFirst()
        .map(hidden::withEnvironmentOf)
        .orElse(hidden);
  }

  /// Whether it is about pools that several tenants share.
  public boolean isPlatform() {
    return PLATFORM.equals(tenant);
  }

  /// Whether a profile's pool is a shared one: `platform/h100`.
  public static boolean isShared(String pool) {
    return pool.startsWith(PLATFORM + "/");
  }
}
