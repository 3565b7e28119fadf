package io.headgate.policy.core.name;

import io.headgate.type.NameRule;

/// A machine, unique in its tenant.
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
