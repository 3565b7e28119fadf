package io.headgate.policy.core.name;

import io.headgate.type.NameRule;

/// A department, unique in its tenant.
public record DepartmentId(String value) implements Comparable<DepartmentId> {
  public DepartmentId {
    NameRule.require(value);
  }

  @Override
  public int compareTo(DepartmentId other) {
    return value.compareTo(other.value);
  }

  @Override
  public String toString() {
    return value;
  }
}
