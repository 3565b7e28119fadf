package io.headgate.policy.core.access;

import io.headgate.policy.core.name.PoolId;
import io.headgate.policy.core.name.TenantId;
import io.headgate.type.GpuQuantity;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/// One tenant's part of pools that several tenants share (A3).
///
/// @param pools of the tenant `platform`, by id; the other values count for each of them
/// @param limit absent: none
public record TenantPart(
    TenantId tenant,
    List<PoolId> pools,
    GpuQuantity reservation,
    Optional<GpuQuantity> limit,
    int weight) {
  public static final int MAX_PARTS = 10_000;
  public static final int MAX_POOLS = 100;

  /// By tenant; a tenant has one part of a pool.
  static final Comparator<TenantPart> ORDER =
      Comparator.comparing(TenantPart::tenant).thenComparing(part -> part.pools().getFirst());

  public TenantPart {
    pools = pools.stream().sorted().toList();
  }

  /// The tenant and pools, which no other part has.
  public String key() {
    return tenant + "/" + pools;
  }
}
