package io.headgate.policy.core.access;

import io.headgate.kit.decision.Problems;
import io.headgate.policy.core.Denial;
import io.headgate.policy.core.name.DepartmentId;
import io.headgate.type.GpuQuantity;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/// The departments of a tenant by the departments above them.
final class DepartmentTree {
  private final Map<DepartmentId, Department> departments = new TreeMap<>();

  DepartmentTree(Collection<Department> departments) {
    departments.forEach(department -> this.departments.put(department.id(), department));
  }

  /// Reports each cycle once, and each department that is the first one too deep on its path.
  void check(Problems<Denial> problems) {
    Set<DepartmentId> reported = new LinkedHashSet<>();
    for (Department department : departments.values()) {
      List<DepartmentId> path = path(department.id());
      String field = SpecReader.path("departments", department.id().value()) + ".department";
      Optional<DepartmentId> next = above(path.getLast());
      if (next.isPresent() && path.contains(next.get())) {
        if (next.get().equals(department.id()) && reported.add(department.id())) {
          reported.addAll(path);
          problems.add(new Denial.DepartmentCycle(field, words(path, next.get())));
        }
      } else if (path.size() == Department.MAX_DEPTH + 1) {
        problems.add(
            new Denial.DepartmentTooDeep(field, words(path.reversed()), Department.MAX_DEPTH));
      }
    }
  }

  /// The department and those above it, itself first. In a cycle, it ends before the repetition.
  List<DepartmentId> path(DepartmentId id) {
    LinkedHashSet<DepartmentId> path = new LinkedHashSet<>();
    Optional<DepartmentId> next = Optional.of(id);
    while (next.isPresent() && path.add(next.get())) {
      next = above(next.get());
    }
    return new ArrayList<>(path);
  }

  /// Units that the members of each department reserve together, by department; one without members
  /// is left out. A member that is a department without a reservation counts as what its own
  /// members reserve. The tree has no cycle.
  Map<DepartmentId, Long> reservedByMembers(List<Policy> policies) {
    Map<DepartmentId, Long> sums = new TreeMap<>();
    for (Policy policy : policies) {
      policy
          .department()
          .ifPresent(id -> sums.merge(id, policy.rights().reservation().units(), Long::sum));
    }
    List<Department> deepestFirst = new ArrayList<>(departments.values());
    deepestFirst.sort((a, b) -> path(b.id()).size() - path(a.id()).size());
    for (Department department : deepestFirst) {
      long reserved =
          department
              .reservation()
              .map(GpuQuantity::units)
              .orElseGet(() -> sums.getOrDefault(department.id(), 0L));
      department.parent().ifPresent(parent -> sums.merge(parent, reserved, Long::sum));
    }
    return sums;
  }

  private Optional<DepartmentId> above(DepartmentId id) {
    return Optional.ofNullable(departments.get(id)).flatMap(Department::parent);
  }

  private static List<String> words(List<DepartmentId> path, DepartmentId... more) {
    List<String> words = new ArrayList<>(path.stream().map(DepartmentId::value).toList());
    for (DepartmentId id : more) {
      words.add(id.value());
    }
    return words;
  }
}
