package io.headgate.scheduler.core.catalog;

import java.util.Comparator;

/// Names a policy of a tenant.
public record PolicyId(TenantId tenant, String name) implements Comparable<PolicyId> {
  private static final Comparator<PolicyId> ORDER =
      Comparator.comparing(PolicyId::tenant).thenComparing(PolicyId::name);

  @Override
  public int compareTo(PolicyId other) {
    return ORDER.compare(this, other);
  }

  @Override
  public String toString() {
    return tenant + "/" + name;
  }
}
