package io.headgate.scheduler.runtime.catalog;

import io.headgate.scheduler.core.catalog.Department;
import io.headgate.scheduler.core.catalog.DepartmentId;
import io.headgate.scheduler.core.catalog.Policy;
import io.headgate.scheduler.core.catalog.SpentBudget;
import io.headgate.scheduler.core.catalog.SpentBudget.Effect;
import io.headgate.scheduler.core.catalog.SpentBudget.Level;
import io.headgate.scheduler.core.catalog.TenantId;
import io.headgate.scheduler.runtime.record.Budget;
import io.headgate.scheduler.runtime.record.Budget.State;
import io.headgate.scheduler.runtime.record.Budget.WhenSpent;
import io.headgate.scheduler.runtime.record.BudgetUse;
import io.headgate.type.GpuQuantity;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/// The counted use of the budgets of all tenants, and its effect on their policies. Immutable.
///
/// Whether a budget is spent follows from the last count and from the configuration alone. So a
/// raised budget is in force with its configuration, also in a plan.
public final class Budgets {
  /// Nothing was counted.
  public static final Budgets NONE = new Budgets(new TreeMap<>());

  private final SortedMap<Budget.Key, BudgetUse> uses;

  /// A spent budget.
  ///
  /// @param budget the strictest of the levels of a policy; of equal ones the lowest
  /// @param spent what the core is told of it
  public record Restriction(Budget budget, SpentBudget spent) {}

  private Budgets(SortedMap<Budget.Key, BudgetUse> uses) {
    this.uses = uses;
  }

  /// Counts, in any order.
  public static Budgets of(Iterable<BudgetUse> counted) {
    SortedMap<Budget.Key, BudgetUse> uses = new TreeMap<>();
    counted.forEach(use -> uses.put(use.key(), use));
    return new Budgets(uses);
  }

  /// The last count of a budget; empty: it is not counted yet.
  public Optional<BudgetUse> use(Budget budget) {
    return Optional.ofNullable(uses.get(budget.key())).filter(use -> use.isOf(budget));
  }

  /// The state by the last count; empty: it is not counted yet.
  public Optional<State> state(Budget budget) {
    return use(budget).map(use -> budget.state(use.used()));
  }

  /// The restrictions of a tenant's policies by name; those without are absent.
  public Map<String, Restriction> restrictions(Access access) {
    Map<Budget.Key, BudgetUse> spent = spent(access);
    Map<String, Restriction> restrictions = new TreeMap<>();
    if (spent.isEmpty()) {
      return restrictions;
    }
    Map<Budget.Key, Budget> budgets = new HashMap<>();
    access.budgets().forEach(budget -> budgets.put(budget.key(), budget));
    Map<DepartmentId, Department> departments = departmentsById(access);
    for (Access.Rights rights : access.policies()) {
      List<Budget> acting = new ArrayList<>();
      for (Budget.Key key : chain(rights.policy(), departments)) {
        if (spent.containsKey(key)) {
          acting.add(Objects.requireNonNull(budgets.get(key)));
        }
      }
      if (!acting.isEmpty()) {
        Budget strictest = strictest(acting);
        boolean yields = acting.stream().anyMatch(each -> each.whenSpent() == WhenSpent.YIELD);
        BudgetUse use = Objects.requireNonNull(spent.get(strictest.key()));
        restrictions.put(
            rights.policy().id().name(),
            new Restriction(strictest, toCore(strictest, use.end(), yields)));
      }
    }
    return restrictions;
  }

  /// The strictest; of equal ones the first, which is the lowest.
  private static Budget strictest(List<Budget> acting) {
    return acting.stream()
        .reduce((low, high) -> high.whenSpent().compareTo(low.whenSpent()) > 0 ? high : low)
        .orElseThrow();
  }

  /// The last counts of the spent budgets that do more than warn.
  private Map<Budget.Key, BudgetUse> spent(Access access) {
    Map<Budget.Key, BudgetUse> spent = new HashMap<>();
    for (Budget budget : access.budgets()) {
      if (budget.whenSpent() != WhenSpent.WARN) {
        use(budget)
            .filter(use -> budget.state(use.used()) == State.SPENT)
            .ifPresent(use -> spent.put(budget.key(), use));
      }
    }
    return spent;
  }

  private static SpentBudget toCore(Budget budget, Instant until, boolean yields) {
    return new SpentBudget(
        budget.key().level(),
        budget.key().name(),
        budget.key().level() == Level.POLICY ? budget.text(budget.amount()) : "",
        until,
        budget.whenSpent() == WhenSpent.YIELD ? Effect.YIELD : Effect.WAIT,
        yields);
  }

  private static Map<DepartmentId, Department> departmentsById(Access access) {
    Map<DepartmentId, Department> departments = new HashMap<>();
    access.departments().forEach(each -> departments.put(each.id(), each));
    return departments;
  }

  /// The budgets that a policy may have: its own, those of its departments upwards, the tenant's.
  private static List<Budget.Key> chain(Policy policy, Map<DepartmentId, Department> departments) {
    TenantId tenant = policy.id().tenant();
    List<Budget.Key> chain = new ArrayList<>();
    chain.add(new Budget.Key(tenant, Level.POLICY, policy.id().name()));
    above(policy.department(), departments)
        .forEach(each -> chain.add(new Budget.Key(tenant, Level.DEPARTMENT, each.name())));
    chain.add(new Budget.Key(tenant, Level.TENANT, tenant.name()));
    return chain;
  }

  /// A department and those above it.
  private static List<DepartmentId> above(
      Optional<DepartmentId> lowest, Map<DepartmentId, Department> departments) {
    List<DepartmentId> above = new ArrayList<>();
    Optional<DepartmentId> each = lowest;
    while (each.isPresent() && above.size() < Department.MAX_DEPTH) {
      above.add(each.get());
      each = Optional.ofNullable(departments.get(each.get())).flatMap(Department::parent);
    }
    return above;
  }

  /// The tenant's policies as they are while these budgets are spent.
  List<Policy> policies(Access access) {
    Map<String, Restriction> restrictions = restrictions(access);
    return access.policies().stream()
        .map(Access.Rights::policy)
        .map(policy ->
            Optional.ofNullable(restrictions.get(policy.id().name()))
                .map(each -> policy.with().spent(Optional.of(each.spent())).build())
                .orElse(policy))
        .toList();
  }

  /// The tenant's departments as they are while these budgets are spent: where a level yields, the
  /// departments below it reserve nothing either.
  List<Department> departments(Access access) {
    Map<Budget.Key, BudgetUse> spent = spent(access);
    Set<Budget.Key> yielding = new HashSet<>();
    for (Budget budget : access.budgets()) {
      if (budget.whenSpent() == WhenSpent.YIELD && spent.containsKey(budget.key())) {
        yielding.add(budget.key());
      }
    }
    if (yielding.isEmpty()) {
      return access.departments();
    }
    TenantId tenant = access.tenant();
    boolean isTenant = yielding.contains(new Budget.Key(tenant, Level.TENANT, tenant.name()));
    Map<DepartmentId, Department> byId = departmentsById(access);
    return access.departments().stream()
        .map(department ->
            isTenant
                    || above(Optional.of(department.id()), byId).stream()
                        .map(each -> new Budget.Key(tenant, Level.DEPARTMENT, each.name()))
                        .anyMatch(yielding::contains)
                ? yielded(department)
                : department)
        .toList();
  }

  private static Department yielded(Department department) {
    return new Department(
        department.id(),
        department.parent(),
        Optional.of(GpuQuantity.ZERO),
        department.limit(),
        department.weight());
  }
}
