package io.headgate.sdk.config;

import io.headgate.type.GpuQuantity;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Reads the `departments` section.
final class DepartmentReader {
  private static final String ABOVE = "department";

  private final SectionNames sections;
  private final Map<String, MappingReader> byName = new HashMap<>();
  private final Map<String, String> above = new HashMap<>();

  DepartmentReader(SectionNames sections) {
    this.sections = sections;
  }

  List<Department> read(MappingReader root) {
    List<Department> departments = new ArrayList<>();
    List<String> keys =
        (sections.isScenario() ? ScenarioKeys.DEPARTMENTS : PolicyKeys.DEPARTMENTS).names();
    for (MappingReader fields : root.items("departments", keys)) {
      departments.add(department(fields));
    }
    checkNesting(departments);
    for (Department department : departments) {
      MappingReader fields = byName.get(department.name());
      if (fields != null) {
        checkTenant(fields, departments, department.department(), department.tenant());
      }
    }
    return departments;
  }

  /// Reports a department that belongs to another tenant than the object that names it.
  ///
  /// @param fields of that object
  /// @param named the department's name; null: it names none
  /// @param tenant of that object; null: the configuration's own
  static void checkTenant(
      MappingReader fields,
      List<Department> departments,
      @Nullable String named,
      @Nullable String tenant) {
    YamlTree.Scalar scalar = fields.scalar(ABOVE);
    for (Department department : departments) {
      if (scalar != null
          && department.name().equals(named)
          && !Objects.equals(department.tenant(), tenant)) {
        String its = department.tenant();
        fields
            .problems()
            .add(
                Problem.of(
                        "DEPARTMENT_NOT_FOUND",
                        "department \"" + named + "\" belongs to another tenant",
                        scalar.span(),
                        fields.path(ABOVE))
                    .value(scalar.text())
                    .note(its == null ? "names no tenant" : "of tenant " + its)
                    .next("give both the same tenant, or name another department"));
      }
    }
  }

  private Department department(MappingReader fields) {
    ValueReader values = new ValueReader(fields);
    String name = values.id("name", "give the department a name");
    sections.departments().claim(fields, name);
    GpuQuantity reservation = values.quantityOrNull("reservation");
    GpuQuantity limit = values.quantityOrNull("limit");
    if (reservation != null && limit != null) {
      PolicyReader.checkReservation(fields, reservation, limit);
    }
    String parent = values.referenceOrNull(ABOVE, sections.departments());
    byName.putIfAbsent(name, fields);
    if (parent != null && !parent.equals(ValueReader.UNREADABLE)) {
      above.putIfAbsent(name, parent);
    }
    return new Department(
        name,
        parent,
        reservation,
        limit,
        values.integer(PolicyKeys.DEPARTMENT_WEIGHT),
        BudgetReader.read(fields),
        sections.isScenario() ? values.referenceOrNull("tenant", sections.tenants()) : null);
  }

  /// Reports each cycle once, and each department that is the first one too deep on its path.
  private void checkNesting(List<Department> departments) {
    Set<String> inCycle = new HashSet<>();
    for (Department department : departments) {
      String name = department.name();
      List<String> path = path(name);
      String beyond = above.get(path.getLast());
      if (beyond != null) {
        if (beyond.equals(name) && !inCycle.contains(name)) {
          inCycle.addAll(path);
          report(
              name,
              "DEPARTMENT_CYCLE",
              "department \"" + name + "\" would be above itself",
              String.join(" in ", path) + " in " + beyond,
              "name another department, or none, for one of these");
        }
      } else if (path.size() == Department.MOST_DEEP + 1) {
        report(
            name,
            "DEPARTMENT_TOO_DEEP",
            "department \"" + name + "\" lies too deep",
            String.join(" > ", path.reversed()),
            "move it up: at most " + Department.MOST_DEEP + " departments lie inside one another");
      }
    }
  }

  /// The department and those above it. In a cycle, it ends before the repetition.
  private List<String> path(String name) {
    List<String> path = new ArrayList<>();
    String next = name;
    while (next != null && !path.contains(next)) {
      path.add(next);
      next = above.get(next);
    }
    return path;
  }

  private void report(String name, String reason, String message, String note, String next) {
    MappingReader fields = byName.get(name);
    YamlTree.Scalar scalar = fields == null ? null : fields.scalar(ABOVE);
    if (fields != null && scalar != null) {
      fields
          .problems()
          .add(
              Problem.of(reason, message, scalar.span(), fields.path(ABOVE))
                  .value(scalar.text())
                  .note(note)
                  .next(next));
    }
  }
}
