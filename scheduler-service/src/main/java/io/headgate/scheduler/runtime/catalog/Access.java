package io.headgate.scheduler.runtime.catalog;

import io.headgate.scheduler.core.catalog.Policy;
import io.headgate.scheduler.core.catalog.Queue;
import io.headgate.scheduler.core.catalog.TenantId;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// A tenant's rights: groups, policies, queues and vaults.
///
/// @param version of the tenant's access configuration
/// @param vaults the rules of vaults, by id of the group; absent: the group has none
/// @param joint the last change together with supply, up to this version; absent: there was none
public record Access(
    TenantId tenant,
    long version,
    List<Group> groups,
    List<Rights> policies,
    List<Queue> queues,
    Map<String, VaultRules> vaults,
    Optional<JointChange> joint) {
  public Access {
    groups = List.copyOf(groups);
    policies = List.copyOf(policies);
    queues = List.copyOf(queues);
    vaults = Map.copyOf(vaults);
  }

  /// Rights before any change together with supply.
  public Access(
      TenantId tenant,
      long version,
      List<Group> groups,
      List<Rights> policies,
      List<Queue> queues,
      Map<String, VaultRules> vaults) {
    this(tenant, version, groups, policies, queues, vaults, Optional.empty());
  }

  /// The subjects that share one policy's rights.
  ///
  /// @param members resource names of users and service accounts
  public record Group(String id, Set<String> members) {
    public Group {
      members = Set.copyOf(members);
    }
  }

  /// A group's policy.
  ///
  /// @param stopAfter how long its jobs run on without contact; absent: for ever
  public record Rights(Policy policy, String group, Optional<Duration> stopAfter) {}
}
