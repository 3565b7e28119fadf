package io.headgate.scheduler.core.catalog;

import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/// The provisioned configuration of one tenant. It includes the policies of tenants that share its
/// pools, each with the tenant that its id names.
///
/// References may dangle, because supply and rights are watched separately. A queue whose profile
/// or policy is missing keeps its jobs waiting with a structural reason. A profile's unknown pool
/// is skipped. A queue that is missing turns its waiting jobs into drafts.
///
/// @param version of the shell's choice; only shown
/// @param shares of tenants in pools of this catalog (A3); none: no pool is shared
/// @param departments levels between the tenant and its policies (A3); a parent that is not among
///   them counts as absent
public record Catalog(
    TenantId tenant,
    long version,
    List<Pool> pools,
    List<Profile> profiles,
    List<Policy> policies,
    List<Queue> queues,
    List<TenantShare> shares,
    List<Department> departments) {
  public Catalog {
    pools = List.copyOf(pools);
    profiles = List.copyOf(profiles);
    policies = List.copyOf(policies);
    queues = List.copyOf(queues);
    shares = List.copyOf(shares);
    departments = List.copyOf(departments);
  }

  /// A tenant that has its pools to itself and no departments.
  public Catalog(
      TenantId tenant,
      long version,
      List<Pool> pools,
      List<Profile> profiles,
      List<Policy> policies,
      List<Queue> queues) {
    this(tenant, version, pools, profiles, policies, queues, List.of(), List.of());
  }

  /// The pools of [TenantId#PLATFORM] that its profiles name; none for that tenant itself.
  public Set<PoolId> sharedPools() {
    Set<PoolId> shared = new TreeSet<>();
    for (Profile profile : profiles) {
      for (PoolId pool : profile.pools()) {
        if (pool.tenant().equals(TenantId.PLATFORM) && !tenant.equals(TenantId.PLATFORM)) {
          shared.add(pool);
        }
      }
    }
    return shared;
  }

  /// The same with other pools.
  public Catalog withPools(List<Pool> newPools) {
    return new Catalog(tenant, version, newPools, profiles, policies, queues, shares, departments);
  }

  /// The same with other profiles.
  public Catalog withProfiles(List<Profile> newProfiles) {
    return new Catalog(tenant, version, pools, newProfiles, policies, queues, shares, departments);
  }

  /// The same with other policies.
  public Catalog withPolicies(List<Policy> newPolicies) {
    return new Catalog(tenant, version, pools, profiles, newPolicies, queues, shares, departments);
  }

  /// The same with other shares of tenants.
  public Catalog withShares(List<TenantShare> newShares) {
    return new Catalog(tenant, version, pools, profiles, policies, queues, newShares, departments);
  }
}
