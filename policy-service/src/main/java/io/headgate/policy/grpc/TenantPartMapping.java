package io.headgate.policy.grpc;

import io.headgate.policy.core.access.AccessSpec.TenantPartSpec;
import io.headgate.policy.core.access.AccessWarning;
import io.headgate.policy.core.name.PoolId;
import io.headgate.proto.policy.v1.TenantPart;
import io.headgate.type.GpuQuantity;

/// Maps the parts of tenants in shared pools.
final class TenantPartMapping {
  private static final String PREFIX = "tenants/";

  private TenantPartMapping() {}

  static TenantPart toProto(io.headgate.policy.core.access.TenantPart part) {
    return TenantPart.newBuilder()
        .setName(PREFIX + part.tenant())
        .addAllPools(part.pools().stream().map(PoolId::value).toList())
        .setReservation(part.reservation().toString())
        .setLimit(part.limit().map(GpuQuantity::toString).orElse(""))
        .setWeight(part.weight())
        .build();
  }

  /// A name of another form is passed on whole, and the check of ids reports it.
  static TenantPartSpec spec(TenantPart part) {
    String name = part.getName();
    return new TenantPartSpec(
        name.startsWith(PREFIX) ? name.substring(PREFIX.length()) : name,
        part.getPoolsList(),
        part.getReservation(),
        part.getLimit(),
        part.getWeight());
  }

  static io.headgate.proto.policy.v1.AccessWarning toProto(AccessWarning.PoolOvercommitted over) {
    return io.headgate.proto.policy.v1.AccessWarning.newBuilder()
        .setReason("OVERCOMMITTED")
        .setMessage(
            "the tenants reserve %s GPUs of pool '%s', which offers %s: not all of them can be kept at once"
                .formatted(GpuQuantity.format(over.reservedUnits()), over.pool(), over.offered()))
        .setField("tenants")
        .build();
  }
}
