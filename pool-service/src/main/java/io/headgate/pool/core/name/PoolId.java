package io.headgate.pool.core.name;

import io.headgate.type.NameRule;

/// A pool of a tenant.
public record PoolId(String value) implements Comparable<PoolId> {
  public PoolId {
    NameRule.require(value);
  }

  @Override
  public int compareTo(PoolId other) {
    return value.compareTo(other.value);
  }

  @Override
  public String toString() {
    return value;
  }
}
