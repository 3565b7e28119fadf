package io.headgate.scheduler.core.catalog;

import java.util.List;

/// Everything that is provisioned for one tenant, and for those that share its pools with it: their
/// policies are here as well, each with the tenant that its id names.
///
/// References between its parts may dangle, because supply and rights are watched apart: a queue
/// whose profile or policy is not here keeps its jobs waiting with a structural reason, and a
/// profile's unknown pool is passed over. A queue that is not here at all turns its waiting jobs
/// into drafts.
///
/// @param version of the shell's choice; only shown
/// @param shares of tenants in pools of this catalog (DESIGN A3); none: no pool is shared
public record Catalog(
    TenantId tenant,
    long version,
    List<Pool> pools,
    List<Profile> profiles,
    List<Policy> policies,
    List<Queue> queues,
    List<TenantShare> shares) {
  public Catalog {
    pools = List.copyOf(pools);
    profiles = List.copyOf(profiles);
    policies = List.copyOf(policies);
    queues = List.copyOf(queues);
    shares = List.copyOf(shares);
  }

  /// A tenant that has its pools to itself.
  public Catalog(
      TenantId tenant,
      long version,
      List<Pool> pools,
      List<Profile> profiles,
      List<Policy> policies,
      List<Queue> queues) {
    this(tenant, version, pools, profiles, policies, queues, List.of());
  }
}
