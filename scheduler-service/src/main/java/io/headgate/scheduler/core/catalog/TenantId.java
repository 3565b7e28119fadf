package io.headgate.scheduler.core.catalog;

/// Names a tenant.
public record TenantId(String name) implements Comparable<TenantId> {
  @Override
  public int compareTo(TenantId other) {
    return name.compareTo(other.name);
  }

  @Override
  public String toString() {
    return name;
  }
}
