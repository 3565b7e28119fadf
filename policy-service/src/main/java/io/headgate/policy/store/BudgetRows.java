package io.headgate.policy.store;

import static io.headgate.policy.store.jooq.Tables.BUDGETS;
import static org.jooq.impl.DSL.any;
import static org.jooq.impl.DSL.noCondition;

import io.headgate.policy.core.access.AccessDiff;
import io.headgate.policy.core.access.Budget;
import io.headgate.policy.core.access.Budget.Amount;
import io.headgate.policy.core.access.Department;
import io.headgate.policy.core.access.Policy;
import io.headgate.policy.core.name.TenantId;
import io.headgate.policy.store.jooq.tables.records.BudgetsRecord;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jooq.Condition;
import org.jooq.DSLContext;
import org.jspecify.annotations.Nullable;

/// Reads and writes the budgets of one tenant: its own, and those of its departments and policies.
final class BudgetRows {
  private final DSLContext dsl;
  private final String tenant;

  BudgetRows(DSLContext dsl, TenantId tenant) {
    this.dsl = dsl;
    this.tenant = tenant.value();
  }

  /// The budgets of a tenant.
  ///
  /// @param departments by id
  /// @param policies by id
  record Read(
      Optional<Budget> tenant, Map<String, Budget> departments, Map<String, Budget> policies) {
    Optional<Budget> ofDepartment(String id) {
      return Optional.ofNullable(departments.get(id));
    }

    Optional<Budget> ofPolicy(String id) {
      return Optional.ofNullable(policies.get(id));
    }
  }

  Read read() {
    Map<String, Budget> departments = new HashMap<>();
    Map<String, Budget> policies = new HashMap<>();
    List<Budget> own = new ArrayList<>();
    for (BudgetsRecord row : dsl.selectFrom(BUDGETS).where(BUDGETS.TENANT_ID.eq(tenant))) {
      Budget budget = budget(row);
      if (row.getDepartmentId() != null) {
        departments.put(row.getDepartmentId(), budget);
      } else if (row.getPolicyId() != null) {
        policies.put(row.getPolicyId(), budget);
      } else {
        own.add(budget);
      }
    }
    return new Read(own.stream().findFirst(), departments, policies);
  }

  /// Writes the budgets that differ. Rows of new departments and policies must exist already; the
  /// database removes the budgets of removed ones.
  void write(AccessDiff diff) {
    List<String> departments = new ArrayList<>();
    List<String> policies = new ArrayList<>();
    List<BudgetsRecord> next = new ArrayList<>();
    for (AccessDiff.Change<Department> change : diff.departments().changed()) {
      if (!change.before().budget().equals(change.after().budget())) {
        departments.add(change.after().id().value());
        add(next, change.after());
      }
    }
    for (AccessDiff.Change<Policy> change : diff.policies().changed()) {
      if (!change.before().budget().equals(change.after().budget())) {
        policies.add(change.after().id().value());
        add(next, change.after());
      }
    }
    diff.departments().added().forEach(department -> add(next, department));
    diff.policies().added().forEach(policy -> add(next, policy));
    diff.budget()
        .flatMap(AccessDiff.Change::after)
        .ifPresent(budget -> next.add(row(null, null, budget)));
    remove(departments, policies, diff.budget().isPresent());
    dsl.batchInsert(next).execute();
  }

  private void remove(List<String> departments, List<String> policies, boolean own) {
    Condition gone =
        BUDGETS
            .DEPARTMENT_ID
            .eq(any(departments.toArray(String[]::new)))
            .or(BUDGETS.POLICY_ID.eq(any(policies.toArray(String[]::new))))
            .or(
                own
                    ? BUDGETS.DEPARTMENT_ID.isNull().and(BUDGETS.POLICY_ID.isNull())
                    : noCondition());
    if (own || !departments.isEmpty() || !policies.isEmpty()) {
      dsl.deleteFrom(BUDGETS).where(BUDGETS.TENANT_ID.eq(tenant)).and(gone).execute();
    }
  }

  private void add(List<BudgetsRecord> rows, Department department) {
    department.budget().ifPresent(budget -> rows.add(row(department.id().value(), null, budget)));
  }

  private void add(List<BudgetsRecord> rows, Policy policy) {
    policy.budget().ifPresent(budget -> rows.add(row(null, policy.id().value(), budget)));
  }

  private BudgetsRecord row(@Nullable String department, @Nullable String policy, Budget budget) {
    BudgetsRecord row = dsl.newRecord(BUDGETS);
    row.setTenantId(tenant);
    row.setDepartmentId(department);
    row.setPolicyId(policy);
    switch (budget.amount()) {
      case Amount.GpuHours(var hours) -> row.setGpuHours(hours);
      case Amount.Cost(var cost, var currency) -> {
        row.setCost(cost);
        row.setCurrency(currency);
      }
    }
    row.setPer(budget.per().name());
    row.setWarnAt(budget.warnAt());
    row.setWhenSpent(budget.whenSpent().name());
    return row;
  }

  private static Budget budget(BudgetsRecord row) {
    Amount amount =
        row.getGpuHours() == null
            ? new Amount.Cost(row.getCost(), row.getCurrency())
            : new Amount.GpuHours(row.getGpuHours());
    return new Budget(
        amount,
        Budget.Per.valueOf(row.getPer()),
        row.getWarnAt(),
        Budget.WhenSpent.valueOf(row.getWhenSpent()));
  }
}
