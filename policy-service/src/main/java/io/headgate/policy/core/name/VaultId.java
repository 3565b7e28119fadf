package io.headgate.policy.core.name;

import io.headgate.type.NameRule;

/// A vault, unique in its tenant.
public record VaultId(String value) implements Comparable<VaultId> {
  public VaultId {
    NameRule.require(value);
  }

  @Override
  public int compareTo(VaultId other) {
    return value.compareTo(other.value);
  }

  @Override
  public String toString() {
    return value;
  }
}
