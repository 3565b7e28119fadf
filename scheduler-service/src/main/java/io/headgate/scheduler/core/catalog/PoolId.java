package io.headgate.scheduler.core.catalog;

import java.util.Comparator;

/// Names a pool of a tenant.
public record PoolId(TenantId tenant, String name) implements Comparable<PoolId> {
  private static final Comparator<PoolId> ORDER =
      Comparator.comparing(PoolId::tenant).thenComparing(PoolId::name);

  @Override
  public int compareTo(PoolId other) {
    return ORDER.compare(this, other);
  }

  @Override
  public String toString() {
    return tenant + "/" + name;
  }
}
