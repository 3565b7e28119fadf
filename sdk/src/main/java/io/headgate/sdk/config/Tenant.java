package io.headgate.sdk.config;

import io.headgate.type.GpuQuantity;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// A tenant that shares pools with others, in a scenario (A3).
///
/// @param shares at most one for each pool
public record Tenant(String name, List<Share> shares) {
  public Tenant {
    shares = List.copyOf(shares);
  }

  /// The rights of the tenant in one pool.
  ///
  /// @param limit null: none
  /// @param weight share of over-reservation use among tenants
  public record Share(
      String pool, GpuQuantity reservation, @Nullable GpuQuantity limit, int weight) {}
}
