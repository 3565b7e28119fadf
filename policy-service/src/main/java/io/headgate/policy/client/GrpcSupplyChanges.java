package io.headgate.policy.client;

import io.grpc.Channel;
import io.headgate.kit.grpc.ProtoTimes;
import io.headgate.policy.core.name.TenantId;
import io.headgate.policy.runtime.port.ChangeDecision;
import io.headgate.policy.runtime.port.SupplyChanges;
import io.headgate.proto.pool.v1.ListPreparedChangesRequest;
import io.headgate.proto.pool.v1.ResourceConfigurationServiceGrpc;
import io.headgate.proto.pool.v1.ResourceConfigurationServiceGrpc.ResourceConfigurationServiceBlockingStub;
import io.headgate.proto.pool.v1.SettleChangeRequest;
import io.headgate.proto.pool.v1.SettleChangeRequest.Outcome;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

/// Settles changes at pool-service as `services/policy`.
public final class GrpcSupplyChanges implements SupplyChanges {
  private static final Duration PATIENCE = Duration.ofSeconds(5);

  private final ResourceConfigurationServiceBlockingStub pools;

  /// @param pools channel to pool-service with the identity of this service
  public GrpcSupplyChanges(Channel pools) {
    this.pools = ResourceConfigurationServiceGrpc.newBlockingStub(pools);
  }

  @Override
  public List<Pending> pending() {
    return stub()
        .listPreparedChanges(ListPreparedChangesRequest.newBuilder().setParent("tenants/-").build())
        .getChangesList()
        .stream()
        .map(change ->
            new Pending(
                new TenantId(change.getTenant()),
                change.getChangeId(),
                ProtoTimes.instant(change.getPrepareTime())))
        .toList();
  }

  @Override
  public void settle(ChangeDecision decision) {
    stub()
        .settleChange(
            SettleChangeRequest.newBuilder()
                .setParent("tenants/" + decision.tenant())
                .setChangeId(decision.change())
                .setOutcome(
                    decision.isCommitted() ? Outcome.OUTCOME_COMMITTED : Outcome.OUTCOME_ABANDONED)
                .setAccessVersion(decision.accessVersion())
                .build());
  }

  private ResourceConfigurationServiceBlockingStub stub() {
    return pools.withDeadlineAfter(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
  }
}
