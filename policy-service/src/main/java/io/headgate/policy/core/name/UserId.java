package io.headgate.policy.core.name;

import io.headgate.type.NameRule;

/// A user, unique in its tenant.
public record UserId(String value) implements Comparable<UserId> {
  public UserId {
    NameRule.require(value);
  }

  @Override
  public int compareTo(UserId other) {
    return value.compareTo(other.value);
  }

  @Override
  public String toString() {
    return value;
  }
}
