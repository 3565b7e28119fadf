package io.headgate.scheduler.core.catalog;

/// Names a tenant.
public record TenantId(String name) implements Comparable<TenantId> {
  /// The reserved owner of pools that the profiles of all tenants may name. It has no policies.
  public static final TenantId PLATFORM = new TenantId("platform");

  @Override
  public int compareTo(TenantId other) {
    return name.compareTo(other.name);
  }

  @Override
  public String toString() {
    return name;
  }
}
