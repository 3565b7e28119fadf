package io.headgate.pool.core.name;

import io.headgate.type.NameRule;

/// A policy of a tenant. Policy-service owns policies, so the policy may not exist.
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
