package io.headgate.pool.core.name;

import io.headgate.type.NameRule;

/// A pool of a tenant, or a shared one: `platform/h100` is the pool `h100` of the tenant
/// `platform`. Profiles may name shared pools.
public record PoolId(String value) implements Comparable<PoolId> {
  private static final String SHARED = TenantId.PLATFORM + "/";

  public PoolId {
    if (!isShared(value)) {
      NameRule.require(value);
    }
  }

  /// The name of a shared pool, for all tenants but its owner.
  ///
  /// @param id of the pool at its owner
  public static PoolId shared(String id) {
    return new PoolId(SHARED + id);
  }

  /// Whether the text names a shared pool.
  public static boolean isShared(String text) {
    return text.startsWith(SHARED) && NameRule.isValid(text.substring(SHARED.length()));
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
