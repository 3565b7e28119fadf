package io.headgate.policy.core.access;

import io.headgate.policy.core.name.DepartmentId;
import io.headgate.policy.core.name.GroupId;
import io.headgate.policy.core.name.PolicyId;
import io.headgate.policy.core.name.PoolId;
import io.headgate.policy.core.name.UserId;
import io.headgate.type.GpuQuantity;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/// A hint for the operator; the configuration is allowed.
public sealed interface AccessWarning {
  /// The reservations exceed the supply, so they cannot all be kept at once. The sum may exceed the
  /// largest quantity.
  record Overcommitted(long reservedUnits, GpuQuantity total) implements AccessWarning {}

  /// The members of a department reserve more than it gives them, so their reservations cannot all
  /// be kept at once.
  ///
  /// @param bound its reservation; without one, its limit
  record DepartmentOvercommitted(
      DepartmentId department, long reservedUnits, GpuQuantity bound, boolean isLimit)
      implements AccessWarning {}

  /// The tenants' reservations in a shared pool exceed what it offers, so they cannot all be kept
  /// at once.
  record PoolOvercommitted(PoolId pool, long reservedUnits, GpuQuantity offered)
      implements AccessWarning {}

  /// The user has the exceed-limit grant of a policy whose group it is not in.
  record NotInGroup(PolicyId policy, int index, UserId user, GroupId group)
      implements AccessWarning {}

  /// The limit of one user lets no user run anything, or limits nothing.
  ///
  /// @param limit of the policy
  record UselessUserLimit(PolicyId policy, GpuQuantity perUser, GpuQuantity limit)
      implements AccessWarning {}

  /// No pool has a price in the currency of the budget, so nothing counts in it.
  ///
  /// @param field of the currency
  /// @param known the currencies of the pools' prices
  record UnpricedBudget(String field, String currency, Set<String> known)
      implements AccessWarning {}

  /// The account leaves its last group, and its keys still sign in.
  ///
  /// @param account id of a user or service account
  record KeysRemain(String account, int keys) implements AccessWarning {}

  /// Accounts whose last group is gone keep more keys than are named one by one.
  record MoreKeysRemain(int accounts) implements AccessWarning {}

  /// All warnings about `configuration` on `supply`.
  static List<AccessWarning> about(AccessConfiguration configuration, Supply supply) {
    List<AccessWarning> warnings = new ArrayList<>();
    long reservedUnits = 0;
    for (Policy policy : configuration.policies()) {
      reservedUnits += policy.rights().reservation().units();
    }
    if (reservedUnits > supply.total().units()) {
      warnings.add(new Overcommitted(reservedUnits, supply.total()));
    }
    Map<DepartmentId, Long> reserved =
        new DepartmentTree(configuration.departments()).reservedByMembers(configuration.policies());
    for (Department department : configuration.departments()) {
      long units = reserved.getOrDefault(department.id(), 0L);
      department
          .reservation()
          .or(department::limit)
          .filter(bound -> units > bound.units())
          .ifPresent(bound ->
              warnings.add(
                  new DepartmentOvercommitted(
                      department.id(), units, bound, department.reservation().isEmpty())));
    }
    for (Policy policy : configuration.policies()) {
      GpuQuantity limit = policy.rights().limit();
      policy
          .rights()
          .perUserLimit()
          .filter(perUser -> perUser.units() == 0 || perUser.compareTo(limit) > 0)
          .ifPresent(perUser -> warnings.add(new UselessUserLimit(policy.id(), perUser, limit)));
      Set<UserId> members =
          new HashSet<>(configuration.group(policy.group()).map(Group::users).orElse(List.of()));
      List<UserId> exceeding = policy.rights().exceedLimit();
      for (int i = 0; i < exceeding.size(); i++) {
        if (!members.contains(exceeding.get(i))) {
          warnings.add(new NotInGroup(policy.id(), i, exceeding.get(i), policy.group()));
        }
      }
    }
    warnings.addAll(aboutParts(configuration.tenants(), supply));
    supply.currencies().ifPresent(known -> warnings.addAll(aboutBudgets(configuration, known)));
    return warnings;
  }

  private static List<AccessWarning> aboutBudgets(
      AccessConfiguration configuration, Set<String> known) {
    Map<String, Budget> budgets = new LinkedHashMap<>();
    configuration.budget().ifPresent(budget -> budgets.put("budget", budget));
    for (Department each : configuration.departments()) {
      each.budget()
          .ifPresent(budget -> budgets.put("departments[" + each.id() + "].budget", budget));
    }
    for (Policy each : configuration.policies()) {
      each.budget().ifPresent(budget -> budgets.put("policies[" + each.id() + "].budget", budget));
    }
    List<AccessWarning> warnings = new ArrayList<>();
    budgets.forEach((field, budget) -> {
      if (budget.amount() instanceof Budget.Amount.Cost(var _, var currency)
          && !known.contains(currency)) {
        warnings.add(new UnpricedBudget(field + ".currency", currency, known));
      }
    });
    return warnings;
  }

  private static List<AccessWarning> aboutParts(List<TenantPart> parts, Supply supply) {
    Map<PoolId, Long> reserved = new TreeMap<>();
    for (TenantPart part : parts) {
      part.pools().forEach(pool -> reserved.merge(pool, part.reservation().units(), Long::sum));
    }
    List<AccessWarning> warnings = new ArrayList<>();
    reserved.forEach((pool, units) -> {
      GpuQuantity offered = supply.offers().getOrDefault(pool, GpuQuantity.ZERO);
      if (units > offered.units()) {
        warnings.add(new PoolOvercommitted(pool, units, offered));
      }
    });
    return warnings;
  }
}
