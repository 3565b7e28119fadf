package io.headgate.policy.core.name;

import io.headgate.type.NameRule;

/// A profile of the tenant's resource configuration.
public record ProfileId(String value) implements Comparable<ProfileId> {
  public ProfileId {
    NameRule.require(value);
  }

  @Override
  public int compareTo(ProfileId other) {
    return value.compareTo(other.value);
  }

  @Override
  public String toString() {
    return value;
  }
}
