package io.headgate.scheduler.core.rights;

import io.headgate.scheduler.core.catalog.Department;
import io.headgate.scheduler.core.catalog.DepartmentId;
import io.headgate.scheduler.core.catalog.TenantId;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// The departments of all tenants (A3). An account stays the same object while its department is
/// configured.
public final class Departments {
  private final TreeMap<DepartmentId, DepartmentAccount> accounts = new TreeMap<>();
  private final Map<TenantId, Long> reservedByTenant = new HashMap<>();

  /// The accounts by name.
  public Collection<DepartmentAccount> accounts() {
    return accounts.values();
  }

  public boolean areNone() {
    return accounts.isEmpty();
  }

  /// The sum of the reservations of the members of a tenant: its highest departments, and the
  /// policies without a department.
  long reservedBy(TenantId tenant) {
    return reservedByTenant.getOrDefault(tenant, 0L);
  }

  /// Takes all departments; they replace those before. Counts the usage of their policies anew.
  ///
  /// @param policies all, with their present configuration
  public void configure(Collection<Department> departments, Collection<PolicyAccount> policies) {
    Map<DepartmentId, Department> known = new TreeMap<>();
    departments.forEach(department -> known.put(department.id(), department));
    accounts.keySet().retainAll(known.keySet());
    Map<DepartmentId, List<DepartmentId>> members = new HashMap<>();
    Map<DepartmentId, Long> ofPolicies = new HashMap<>();
    List<DepartmentId> highest = new ArrayList<>();
    for (Department department : known.values()) {
      DepartmentId parent = parent(department, known);
      if (parent == null) {
        highest.add(department.id());
      } else {
        members.computeIfAbsent(parent, key -> new ArrayList<>()).add(department.id());
      }
    }
    reservedByTenant.clear();
    for (PolicyAccount policy : policies) {
      DepartmentId department = departmentOf(policy, known);
      if (department == null) {
        reservedByTenant.merge(policy.id().tenant(), policy.reservation(), Long::sum);
      } else {
        ofPolicies.merge(department, policy.reservation(), Long::sum);
      }
    }
    for (DepartmentId each : highest) {
      long units = configure(get(each, known), null, known, members, ofPolicies);
      reservedByTenant.merge(each.tenant(), units, Long::sum);
    }
    for (PolicyAccount policy : policies) {
      DepartmentId department = departmentOf(policy, known);
      policy.setDepartment(department == null ? null : accounts.get(department));
    }
  }

  /// @return the units that it reserves
  private long configure(
      Department department,
      @Nullable DepartmentAccount parent,
      Map<DepartmentId, Department> known,
      Map<DepartmentId, List<DepartmentId>> members,
      Map<DepartmentId, Long> ofPolicies) {
    DepartmentId id = department.id();
    DepartmentAccount account = accounts.computeIfAbsent(id, DepartmentAccount::new);
    account.configure(department, parent);
    long sum = ofPolicies.getOrDefault(id, 0L);
    for (DepartmentId member : members.getOrDefault(id, List.of())) {
      sum += configure(get(member, known), account, known, members, ofPolicies);
    }
    account.reserve(department.reservation().map(own -> own.units()).orElse(sum));
    return account.reservation();
  }

  private static Department get(DepartmentId id, Map<DepartmentId, Department> known) {
    return Objects.requireNonNull(known.get(id));
  }

  private static @Nullable DepartmentId departmentOf(
      PolicyAccount policy, Map<DepartmentId, Department> known) {
    return policy
        .policy()
        .flatMap(configured -> configured.department())
        .filter(known::containsKey)
        .orElse(null);
  }

  /// The parent; null: it has none, or one that is not known, or one that would close a circle.
  private static @Nullable DepartmentId parent(
      Department department, Map<DepartmentId, Department> known) {
    DepartmentId parent = department.parent().filter(known::containsKey).orElse(null);
    Set<DepartmentId> above = new HashSet<>();
    for (DepartmentId each = parent; each != null; ) {
      if (each.equals(department.id()) || !above.add(each)) {
        return null;
      }
      each = get(each, known).parent().filter(known::containsKey).orElse(null);
    }
    return parent;
  }
}
