package io.headgate.policy.core.name;

import io.headgate.type.NameRule;

/// A tenant, unique in the installation.
public record TenantId(String value) implements Comparable<TenantId> {
  /// The reserved owner of the pools that several tenants share.
  public static final TenantId PLATFORM = new TenantId("platform");

  public TenantId {
    NameRule.require(value);
  }

  @Override
  public int compareTo(TenantId other) {
    return value.compareTo(other.value);
  }

  @Override
  public String toString() {
    return value;
  }
}
