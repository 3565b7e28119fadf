package io.headgate.pool.core.name;

import io.headgate.type.NameRule;

/// A group of a tenant; another service knows which there are.
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
