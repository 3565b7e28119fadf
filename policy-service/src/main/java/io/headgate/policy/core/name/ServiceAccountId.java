package io.headgate.policy.core.name;

import io.headgate.type.NameRule;

/// A service account, unique in its tenant.
public record ServiceAccountId(String value) implements Comparable<ServiceAccountId> {
  public ServiceAccountId {
    NameRule.require(value);
  }

  @Override
  public int compareTo(ServiceAccountId other) {
    return value.compareTo(other.value);
  }

  @Override
  public String toString() {
    return value;
  }
}
