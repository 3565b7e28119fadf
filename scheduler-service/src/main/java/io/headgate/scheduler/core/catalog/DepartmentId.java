package io.headgate.scheduler.core.catalog;

import java.util.Comparator;

/// Names a department of a tenant.
public record DepartmentId(TenantId tenant, String name) implements Comparable<DepartmentId> {
  private static final Comparator<DepartmentId> ORDER =
      Comparator.comparing(DepartmentId::tenant).thenComparing(DepartmentId::name);

  @Override
  public int compareTo(DepartmentId other) {
    return ORDER.compare(this, other);
  }

  @Override
  public String toString() {
    return tenant + "/" + name;
  }
}
