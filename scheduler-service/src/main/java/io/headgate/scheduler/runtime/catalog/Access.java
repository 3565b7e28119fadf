package io.headgate.scheduler.runtime.catalog;

import io.headgate.scheduler.core.catalog.Department;
import io.headgate.scheduler.core.catalog.Policy;
import io.headgate.scheduler.core.catalog.Queue;
import io.headgate.scheduler.core.catalog.TenantId;
import io.headgate.scheduler.core.catalog.TenantShare;
import io.headgate.scheduler.runtime.record.Budget;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// A tenant's rights: groups, departments, policies, queues and vaults.
///
/// @param version of the tenant's access configuration
/// @param vaults the rules of vaults, by id of the group; absent: the group has none
/// @param joint the last change together with supply, up to this version; absent: there was none
/// @param roles what its accounts are beyond members of groups
/// @param shares of tenants in pools of this one (A3); only of the owner of shared pools
/// @param budgets of the tenant, its departments and its policies
public record Access(
    TenantId tenant,
    long version,
    List<Group> groups,
    List<Department> departments,
    List<Rights> policies,
    List<Queue> queues,
    Map<String, VaultRules> vaults,
    Optional<JointChange> joint,
    Roles roles,
    List<TenantShare> shares,
    List<Budget> budgets) {
  public Access {
    groups = List.copyOf(groups);
    departments = List.copyOf(departments);
    policies = List.copyOf(policies);
    queues = List.copyOf(queues);
    vaults = Map.copyOf(vaults);
    shares = List.copyOf(shares);
    budgets = List.copyOf(budgets);
  }

  /// Rights without departments, before any change together with supply.
  public Access(
      TenantId tenant,
      long version,
      List<Group> groups,
      List<Rights> policies,
      List<Queue> queues,
      Map<String, VaultRules> vaults,
      Roles roles) {
    this(
        tenant,
        version,
        groups,
        List.of(),
        policies,
        queues,
        vaults,
        Optional.empty(),
        roles,
        List.of(),
        List.of());
  }

  /// The subjects that share one policy's rights.
  ///
  /// @param members resource names of users and service accounts
  /// @param leads resource names of the members who steer its jobs
  public record Group(String id, Set<String> members, Set<String> leads) {
    public Group {
      members = Set.copyOf(members);
      leads = Set.copyOf(leads);
    }
  }

  /// The admins of the tenant, and whether it is open to its members.
  ///
  /// @param admins resource names of users; absent: not known
  /// @param isOpen whether members see what others run
  public record Roles(Optional<Set<String>> admins, boolean isOpen) {
    public static final Roles UNKNOWN = new Roles(Optional.empty(), false);

    public Roles {
      admins = admins.map(Set::copyOf);
    }
  }

  /// A group's policy.
  ///
  /// @param stopAfter how long its jobs run on without contact; absent: for ever
  public record Rights(Policy policy, String group, Optional<Duration> stopAfter, Grace grace) {}
}
