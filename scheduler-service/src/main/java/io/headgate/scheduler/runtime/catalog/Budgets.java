package io.headgate.scheduler.runtime.catalog;

import io.headgate.scheduler.core.catalog.Department;
import io.headgate.scheduler.core.catalog.DepartmentId;
import io.headgate.scheduler.core.catalog.Policy;
import io.headgate.scheduler.core.catalog.SpentBudget;
import io.headgate.scheduler.core.catalog.SpentBudget.Effect;
import io.headgate.scheduler.core.catalog.SpentBudget.Level;
import io.headgate.scheduler.runtime.record.Budget;
import io.headgate.scheduler.runtime.record.Budget.State;
import io.headgate.scheduler.runtime.record.Budget.WhenSpent;
import io.headgate.scheduler.runtime.record.BudgetUse;
import io.headgate.type.GpuQuantity;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
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
    Map<Budget.Key, Restriction> spent = new HashMap<>();
    for (Budget budget : access.budgets()) {
      use(budget)
          .filter(use -> budget.state(use.used()) == State.SPENT)
          .flatMap(use -> restriction(budget, use))
          .ifPresent(restriction -> spent.put(budget.key(), restriction));
    }
    Map<String, Restriction> restrictions = new TreeMap<>();
    if (!spent.isEmpty()) {
      for (Access.Rights rights : access.policies()) {
        chain(access, rights.policy()).stream()
            .flatMap(key -> Optional.ofNullable(spent.get(key)).stream())
            .reduce((low, high) -> isStricter(high, low) ? high : low)
            .ifPresent(each -> restrictions.put(rights.policy().id().name(), each));
      }
    }
    return restrictions;
  }

  private static boolean isStricter(Restriction one, Restriction other) {
    return one.budget().whenSpent().compareTo(other.budget().whenSpent()) > 0;
  }

  private static Optional<Restriction> restriction(Budget budget, BudgetUse use) {
    return effect(budget.whenSpent())
        .map(effect ->
            new Restriction(
                budget,
                new SpentBudget(
                    budget.key().level(),
                    budget.key().name(),
                    budget.text(budget.amount()),
                    use.end(),
                    effect)));
  }

  private static Optional<Effect> effect(WhenSpent whenSpent) {
    return switch (whenSpent) {
      case WARN -> Optional.empty();
      case YIELD -> Optional.of(Effect.YIELD);
      case WAIT, STOP -> Optional.of(Effect.WAIT);
    };
  }

  /// The budgets that a policy may have: its own, those of its departments upwards, the tenant's.
  static List<Budget.Key> chain(Access access, Policy policy) {
    List<Budget.Key> chain = new ArrayList<>();
    chain.add(new Budget.Key(access.tenant(), Level.POLICY, policy.id().name()));
    Map<DepartmentId, Department> departments = new HashMap<>();
    access.departments().forEach(each -> departments.put(each.id(), each));
    Optional<DepartmentId> above = policy.department();
    for (int depth = 0; above.isPresent() && depth < Department.MAX_DEPTH; depth++) {
      chain.add(new Budget.Key(access.tenant(), Level.DEPARTMENT, above.get().name()));
      above = Optional.ofNullable(departments.get(above.get())).flatMap(Department::parent);
    }
    chain.add(new Budget.Key(access.tenant(), Level.TENANT, access.tenant().name()));
    return chain;
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

  /// The tenant's departments as they are while these budgets are spent: one that yields, or whose
  /// tenant does, reserves nothing.
  List<Department> departments(Access access) {
    boolean isTenant = yields(access, Level.TENANT, access.tenant().name());
    return access.departments().stream()
        .map(department ->
            isTenant || yields(access, Level.DEPARTMENT, department.id().name())
                ? new Department(
                    department.id(),
                    department.parent(),
                    Optional.of(GpuQuantity.ZERO),
                    department.limit(),
                    department.weight())
                : department)
        .toList();
  }

  private boolean yields(Access access, Level level, String name) {
    Budget.Key key = new Budget.Key(access.tenant(), level, name);
    return access.budgets().stream()
        .filter(budget -> budget.key().equals(key) && budget.whenSpent() == WhenSpent.YIELD)
        .anyMatch(budget -> state(budget).equals(Optional.of(State.SPENT)));
  }
}
