package io.headgate.policy.core.access;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// Groups, departments, policies, queues and vaults as a request describes them: unchecked text.
///
/// @param vaults absent: the vaults in force stay
/// @param tenants the parts of tenants in shared pools; only of the tenant `platform`
/// @param budget of the tenant; absent: none
public record AccessSpec(
    List<GroupSpec> groups,
    List<DepartmentSpec> departments,
    List<PolicySpec> policies,
    List<QueueSpec> queues,
    Optional<List<VaultSpec>> vaults,
    Visibility visibility,
    List<TenantPartSpec> tenants,
    Optional<BudgetSpec> budget) {
  public AccessSpec {
    groups = List.copyOf(groups);
    departments = List.copyOf(departments);
    policies = List.copyOf(policies);
    queues = List.copyOf(queues);
    vaults = vaults.map(List::copyOf);
    tenants = List.copyOf(tenants);
  }

  /// The rights of a tenant that owns no shared pools and has no budget.
  public AccessSpec(
      List<GroupSpec> groups,
      List<DepartmentSpec> departments,
      List<PolicySpec> policies,
      List<QueueSpec> queues,
      Optional<List<VaultSpec>> vaults,
      Visibility visibility) {
    this(groups, departments, policies, queues, vaults, visibility, List.of(), Optional.empty());
  }

  /// A tenant's part of shared pools.
  ///
  /// @param tenant id
  /// @param reservation empty: none
  /// @param limit empty: none
  /// @param weight 0 means 1
  public record TenantPartSpec(
      String tenant, List<String> pools, String reservation, String limit, int weight) {
    public TenantPartSpec {
      pools = List.copyOf(pools);
    }
  }

  /// A group.
  public record GroupSpec(
      String id, List<String> users, List<String> serviceAccounts, List<String> leads) {
    public GroupSpec {
      users = List.copyOf(users);
      serviceAccounts = List.copyOf(serviceAccounts);
      leads = List.copyOf(leads);
    }
  }

  /// A department.
  ///
  /// @param parent empty: the tenant is above it
  /// @param reservation empty: the sum of its members' reservations
  /// @param limit empty: none
  /// @param weight 0 means 1
  /// @param budget absent: none
  public record DepartmentSpec(
      String id,
      String parent,
      String reservation,
      String limit,
      int weight,
      Optional<BudgetSpec> budget) {}

  /// A policy.
  ///
  /// @param department empty: none
  /// @param budget absent: none
  public record PolicySpec(
      String id,
      String group,
      String department,
      RightsSpec rights,
      TermsSpec terms,
      Optional<BudgetSpec> budget,
      String description) {}

  /// The amounts that a policy may use.
  ///
  /// @param reservation empty: none
  /// @param perUserLimit empty: none
  /// @param weight 0 means 1
  public record RightsSpec(
      String reservation, String limit, String perUserLimit, int weight, List<String> exceedLimit) {
    public RightsSpec {
      exceedLimit = List.copyOf(exceedLimit);
    }
  }

  /// A budget.
  ///
  /// @param gpuHours empty: it bounds the cost
  /// @param cost empty: it bounds GPU time
  /// @param currency empty: none
  /// @param warnAt percentage; 0 means 80
  public record BudgetSpec(
      String gpuHours,
      String cost,
      String currency,
      Budget.Per per,
      int warnAt,
      Budget.WhenSpent whenSpent) {}

  /// The terms of a policy's jobs.
  ///
  /// @param minRuntime absent: none
  /// @param stopAfter absent: the default, unless `stopAfterNever`
  /// @param preemptAfter absent: none
  public record TermsSpec(
      JobTerms.OnPreempt onPreempt,
      Optional<Duration> minRuntime,
      boolean preemptible,
      JobTerms.PreemptWithin preemptWithin,
      Optional<Duration> stopAfter,
      boolean stopAfterNever,
      Optional<Duration> preemptAfter,
      Grace grace) {}

  /// A queue.
  ///
  /// @param rank 0 means 1
  public record QueueSpec(
      String id,
      String policy,
      String profile,
      int rank,
      boolean overReservation,
      boolean paused) {}

  /// A vault.
  ///
  /// @param groups empty: all
  public record VaultSpec(
      String id,
      List<String> groups,
      RulesSpec rules,
      Map<String, String> environment,
      String description) {
    public VaultSpec {
      groups = List.copyOf(groups);
      environment = Map.copyOf(environment);
    }
  }

  /// The rules of a vault's jobs.
  ///
  /// @param images empty: all
  /// @param commands empty: all
  public record RulesSpec(
      List<String> images, boolean imageRequired, boolean digestRequired, List<String> commands) {
    public RulesSpec {
      images = List.copyOf(images);
      commands = List.copyOf(commands);
    }
  }
}
