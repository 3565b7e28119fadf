package io.headgate.scheduler.client;

import io.headgate.proto.policy.v1.AccessConfiguration;
import io.headgate.proto.policy.v1.Department;
import io.headgate.proto.policy.v1.Policy;
import io.headgate.scheduler.core.catalog.SpentBudget.Level;
import io.headgate.scheduler.core.catalog.TenantId;
import io.headgate.scheduler.runtime.record.Budget;
import io.headgate.scheduler.runtime.record.Budget.Per;
import io.headgate.scheduler.runtime.record.Budget.WhenSpent;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/// Budgets of policy-service's messages as the scheduler's values.
final class BudgetMapper {
  private static final int WARN_AT = 80;

  private BudgetMapper() {}

  /// The tenant's first, then those of departments and of policies, by id.
  static List<Budget> toBudgets(
      TenantId tenant, AccessConfiguration configuration, PartReader parts) {
    List<Budget> budgets = new ArrayList<>();
    if (configuration.hasBudget()) {
      Budget.Key key = new Budget.Key(tenant, Level.TENANT, tenant.name());
      parts
          .read(
              "budget", "tenants/" + tenant.name(), () -> toBudget(key, configuration.getBudget()))
          .ifPresent(budgets::add);
    }
    for (Department department : configuration.getDepartmentsList()) {
      if (department.hasBudget()) {
        Budget.Key key =
            new Budget.Key(tenant, Level.DEPARTMENT, SupplyMapper.id(department.getName()));
        parts
            .read("departments", department.getName(), () -> toBudget(key, department.getBudget()))
            .ifPresent(budgets::add);
      }
    }
    for (Policy policy : configuration.getPoliciesList()) {
      if (policy.hasBudget()) {
        Budget.Key key = new Budget.Key(tenant, Level.POLICY, SupplyMapper.id(policy.getName()));
        parts
            .read("policies", policy.getName(), () -> toBudget(key, policy.getBudget()))
            .ifPresent(budgets::add);
      }
    }
    budgets.sort(Comparator.comparing(Budget::key));
    return budgets;
  }

  private static Budget toBudget(Budget.Key key, io.headgate.proto.policy.v1.Budget budget) {
    boolean isMoney = budget.getGpuHours().isEmpty();
    BigDecimal amount = new BigDecimal(isMoney ? budget.getCost() : budget.getGpuHours());
    if (amount.signum() <= 0) {
      throw new IllegalArgumentException("a budget of " + amount);
    }
    return new Budget(
        key,
        amount,
        isMoney ? Optional.of(budget.getCurrency()) : Optional.empty(),
        switch (budget.getPer()) {
          case PER_DAY -> Per.DAY;
          case PER_WEEK -> Per.WEEK;
          case PER_MONTH -> Per.MONTH;
          case PER_YEAR -> Per.YEAR;
          case PER_UNSPECIFIED, UNRECOGNIZED ->
              throw new IllegalArgumentException("a budget without a known period");
        },
        budget.getWarnAt() == 0 ? WARN_AT : Math.clamp(budget.getWarnAt(), 1, 100),
        switch (budget.getWhenSpent()) {
          case WHEN_SPENT_UNSPECIFIED, WHEN_SPENT_WARN, UNRECOGNIZED -> WhenSpent.WARN;
          case WHEN_SPENT_YIELD -> WhenSpent.YIELD;
          case WHEN_SPENT_WAIT -> WhenSpent.WAIT;
          case WHEN_SPENT_STOP -> WhenSpent.STOP;
        });
  }
}
