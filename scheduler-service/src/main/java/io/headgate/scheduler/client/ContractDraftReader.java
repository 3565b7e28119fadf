package io.headgate.scheduler.client;

import com.google.protobuf.InvalidProtocolBufferException;
import io.headgate.proto.policy.v1.AccessConfiguration;
import io.headgate.proto.pool.v1.ResourceConfiguration;
import io.headgate.scheduler.core.catalog.TenantId;
import io.headgate.scheduler.runtime.catalog.Access;
import io.headgate.scheduler.runtime.catalog.DraftReader;
import io.headgate.scheduler.runtime.catalog.Supply;
import io.headgate.scheduler.runtime.record.Document;

/// Reads drafts as pool-service and policy-service would send them once they are in force.
public final class ContractDraftReader implements DraftReader {
  @Override
  public Supply supply(TenantId tenant, Document document) {
    try {
      return SupplyMapper.toSupply(
          tenant, ResourceConfiguration.parseFrom(document.bytes()), PartReader.STRICT);
    } catch (InvalidProtocolBufferException e) {
      throw new IllegalArgumentException("not a resource configuration", e);
    }
  }

  @Override
  public Access access(TenantId tenant, Document document) {
    try {
      return AccessMapper.toAccess(
          tenant, AccessConfiguration.parseFrom(document.bytes()), PartReader.STRICT);
    } catch (InvalidProtocolBufferException e) {
      throw new IllegalArgumentException("not an access configuration", e);
    }
  }
}
