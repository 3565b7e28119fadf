package io.headgate.scheduler.core.catalog;

import java.util.Comparator;

/// Names a queue of a tenant.
public record QueueId(TenantId tenant, String name) implements Comparable<QueueId> {
  private static final Comparator<QueueId> ORDER =
      Comparator.comparing(QueueId::tenant).thenComparing(QueueId::name);

  @Override
  public int compareTo(QueueId other) {
    return ORDER.compare(this, other);
  }

  @Override
  public String toString() {
    return tenant + "/" + name;
  }
}
