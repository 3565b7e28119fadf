package io.headgate.scheduler.core.catalog;

import java.util.List;

/// Everything that is provisioned for one tenant.
///
/// References between its parts may dangle, because supply and rights are watched apart: a queue
/// whose profile or policy is not here keeps its jobs waiting with a structural reason, and a
/// profile's unknown pool is passed over. A queue that is not here at all turns its waiting jobs
/// into drafts.
///
/// @param version of the shell's choice; only shown
public record Catalog(
    TenantId tenant,
    long version,
    List<Pool> pools,
    List<Profile> profiles,
    List<Policy> policies,
    List<Queue> queues) {
  public Catalog {
    pools = List.copyOf(pools);
    profiles = List.copyOf(profiles);
    policies = List.copyOf(policies);
    queues = List.copyOf(queues);
  }
}
