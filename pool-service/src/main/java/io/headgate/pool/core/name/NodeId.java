package io.headgate.pool.core.name;

import io.headgate.type.NameRule;

/// A node of a tenant.
public record NodeId(String value) implements Comparable<NodeId> {
  public NodeId {
    NameRule.require(value);
  }

  @Override
  public int compareTo(NodeId other) {
    return value.compareTo(other.value);
  }

  @Override
  public String toString() {
    return value;
  }
}
