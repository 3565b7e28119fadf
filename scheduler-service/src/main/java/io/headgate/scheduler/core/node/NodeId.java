package io.headgate.scheduler.core.node;

import io.headgate.scheduler.core.catalog.TenantId;

/// Names a node of a tenant.
public record NodeId(TenantId tenant, String name) implements Comparable<NodeId> {
  @Override
  public int compareTo(NodeId other) {
    int order = tenant.equals(other.tenant) ? 0 : tenant.compareTo(other.tenant);
    return order == 0 ? name.compareTo(other.name) : order;
  }

  @Override
  public String toString() {
    return tenant + "/" + name;
  }
}
