package io.headgate.sdk.config;

import io.headgate.type.GpuQuantity;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// A tenant's part of shared pools, in a platform file (A3).
///
/// @param name of the tenant
/// @param pools the other values count for each of them
/// @param limit null: none
/// @param weight share among tenants of capacity above the reservations
public record TenantPart(
    String name,
    List<String> pools,
    GpuQuantity reservation,
    @Nullable GpuQuantity limit,
    int weight) {
  public TenantPart {
    pools = List.copyOf(pools);
  }

  /// Its name in plans, which no other part has: `acme in h100`.
  String title() {
    return name + " in " + String.join(", ", pools.stream().sorted().toList());
  }
}
