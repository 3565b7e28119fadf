package io.headgate.policy.core.name;

import io.headgate.type.NameRule;

/// A policy, unique in its tenant.
public record PolicyId(String value) implements Comparable<PolicyId> {
  public PolicyId {
    NameRule.require(value);
  }

  @Override
  public int compareTo(PolicyId other) {
    return value.compareTo(other.value);
  }

  @Override
  public String toString() {
    return value;
  }
}
