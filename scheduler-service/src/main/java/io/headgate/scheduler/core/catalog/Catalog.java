package io.headgate.scheduler.core.catalog;

import java.util.List;

/// The provisioned configuration of one tenant. It includes the policies of tenants that share its
/// pools, each with the tenant that its id names.
///
/// References may dangle, because supply and rights are watched separately. A queue whose profile
/// or policy is missing keeps its jobs waiting with a structural reason. A profile's unknown pool
/// is skipped. A queue that is missing turns its waiting jobs into drafts.
///
/// @param version of the shell's choice; only shown
/// @param shares of tenants in pools of this catalog (A3); none: no pool is shared
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
