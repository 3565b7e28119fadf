package io.headgate.pool.core.name;

import io.headgate.type.NameRule;

/// A group of a tenant. Policy-service owns groups, so the group may not exist.
public record GroupId(String value) implements Comparable<GroupId> {
  public GroupId {
    NameRule.require(value);
  }

  @Override
  public int compareTo(GroupId other) {
    return value.compareTo(other.value);
  }

  @Override
  public String toString() {
    return value;
  }
}
