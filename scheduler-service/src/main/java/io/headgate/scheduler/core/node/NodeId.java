package io.headgate.scheduler.core.node;

import io.headgate.scheduler.core.catalog.TenantId;
import java.util.Comparator;

/// Names a node of a tenant.
public record NodeId(TenantId tenant, String name) implements Comparable<NodeId> {
  private static final Comparator<NodeId> ORDER =
      Comparator.comparing(NodeId::tenant).thenComparing(NodeId::name);

  @Override
  public int compareTo(NodeId other) {
    return ORDER.compare(this, other);
  }

  @Override
  public String toString() {
    return tenant + "/" + name;
  }
}
