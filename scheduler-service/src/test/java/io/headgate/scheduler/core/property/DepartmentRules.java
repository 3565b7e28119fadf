package io.headgate.scheduler.core.property;

import io.headgate.scheduler.core.catalog.Catalog;
import io.headgate.scheduler.core.catalog.Department;
import io.headgate.scheduler.core.catalog.DepartmentId;
import io.headgate.scheduler.core.catalog.Policy;
import io.headgate.scheduler.core.catalog.PolicyId;
import io.headgate.type.GpuQuantity;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.ToLongFunction;

/// The levels between a tenant and its policies (A3), found anew each time from a catalog. In units
/// of 1/126000 GPU.
final class DepartmentRules {
  private final Catalog catalog;

  DepartmentRules(Catalog catalog) {
    this.catalog = catalog;
  }

  private Optional<Department> department(DepartmentId id) {
    return catalog.departments().stream().filter(one -> one.id().equals(id)).findAny();
  }

  private Optional<Policy> policy(PolicyId id) {
    return catalog.policies().stream().filter(one -> one.id().equals(id)).findAny();
  }

  /// The departments above the policy, the lowest first.
  List<Department> above(PolicyId policy) {
    List<Department> above = new ArrayList<>();
    Optional<Department> next =
        policy(policy).flatMap(Policy::department).flatMap(this::department);
    while (next.isPresent()) {
      above.add(next.get());
      next = next.get().parent().flatMap(this::department);
    }
    return above;
  }

  boolean isBelow(PolicyId policy, Department department) {
    return above(policy).contains(department);
  }

  /// Its own, or else the sum of its members'.
  long reservation(Department department) {
    if (department.reservation().isPresent()) {
      return department.reservation().get().units();
    }
    long sum = 0;
    for (Policy policy : catalog.policies()) {
      boolean isMember = policy.department().equals(Optional.of(department.id()));
      sum += isMember ? policy.reservation().units() : 0;
    }
    for (Department other : catalog.departments()) {
      sum += other.parent().equals(Optional.of(department.id())) ? reservation(other) : 0;
    }
    return sum;
  }

  long limit(Department department) {
    return department.limit().map(GpuQuantity::units).orElse(Long.MAX_VALUE / 4);
  }

  /// The sum over the policies below it.
  long sum(Department department, ToLongFunction<PolicyId> of) {
    return catalog.policies().stream()
        .map(Policy::id)
        .filter(policy -> isBelow(policy, department))
        .mapToLong(of)
        .sum();
  }

  /// The departments of the victim's policy up to the level directly below the lowest one that both
  /// policies share; none: the policy itself is that level (P2).
  List<Department> upToUnit(PolicyId victim, PolicyId preemptor) {
    List<Department> up = new ArrayList<>();
    for (Department department : above(victim)) {
      if (isBelow(preemptor, department)) {
        return up;
      }
      up.add(department);
    }
    return up;
  }
}
