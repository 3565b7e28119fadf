package io.headgate.policy.core.name;

import io.headgate.type.NameRule;

/// A group, unique in its tenant.
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
