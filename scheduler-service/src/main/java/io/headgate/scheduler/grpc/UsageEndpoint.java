package io.headgate.scheduler.grpc;

import static io.headgate.scheduler.grpc.JobEndpoint.answer;

import io.grpc.stub.StreamObserver;
import io.headgate.kit.auth.Principal;
import io.headgate.kit.auth.Principals;
import io.headgate.kit.grpc.ProtoTimes;
import io.headgate.proto.scheduler.v1.GetLeadershipRequest;
import io.headgate.proto.scheduler.v1.GetLeadershipResponse;
import io.headgate.proto.scheduler.v1.ListNodeUsagesRequest;
import io.headgate.proto.scheduler.v1.ListNodeUsagesResponse;
import io.headgate.proto.scheduler.v1.ListPolicyUsagesRequest;
import io.headgate.proto.scheduler.v1.ListPolicyUsagesResponse;
import io.headgate.proto.scheduler.v1.ListPoolUsagesRequest;
import io.headgate.proto.scheduler.v1.ListPoolUsagesResponse;
import io.headgate.proto.scheduler.v1.ListQueueUsagesRequest;
import io.headgate.proto.scheduler.v1.ListQueueUsagesResponse;
import io.headgate.proto.scheduler.v1.UsageServiceGrpc;
import io.headgate.scheduler.core.catalog.TenantId;
import io.headgate.scheduler.runtime.desk.LeaderView;
import io.headgate.scheduler.runtime.leadership.LeaderDoor;
import io.headgate.scheduler.runtime.record.Leadership;
import io.headgate.type.Viewer;
import java.util.function.Function;

/// Serves the current usage of policies, queues and pools.
public final class UsageEndpoint extends UsageServiceGrpc.UsageServiceImplBase {
  private final LeaderDoor door;

  /// Serves what the replica's leader knows.
  public UsageEndpoint(EndpointParts parts) {
    this.door = parts.door();
  }

  private <T> T ask(Function<LeaderView, T> question) {
    return Refusals.leading(true, () -> door.ask(question));
  }

  /// Refreshes the catalog first, so that a change just applied is visible. If its service is
  /// unreachable, the last known catalog is used.
  private <T> T askFresh(Function<LeaderView, T> question) {
    Refusals.leading(true, door::freshCatalog);
    return ask(question);
  }

  /// The caller's view, by the catalog that the answer is made of.
  private static Viewer viewer(Principal caller, TenantId tenant, LeaderView leader) {
    return Viewers.of(caller, tenant, leader.catalog());
  }

  @Override
  public void listPolicyUsages(
      ListPolicyUsagesRequest request, StreamObserver<ListPolicyUsagesResponse> out) {
    TenantId tenant = Names.tenant(request.getParent());
    Principal caller = Principals.current();
    answer(
        out,
        ListPolicyUsagesResponse.newBuilder()
            .addAllUsages(
                askFresh(
                    leader -> UsageMapper.policies(leader, tenant, viewer(caller, tenant, leader))))
            .build());
  }

  @Override
  public void listQueueUsages(
      ListQueueUsagesRequest request, StreamObserver<ListQueueUsagesResponse> out) {
    TenantId tenant = Names.tenant(request.getParent());
    Principal caller = Principals.current();
    answer(
        out,
        ListQueueUsagesResponse.newBuilder()
            .addAllUsages(
                askFresh(
                    leader -> UsageMapper.queues(leader, tenant, viewer(caller, tenant, leader))))
            .build());
  }

  @Override
  public void listPoolUsages(
      ListPoolUsagesRequest request, StreamObserver<ListPoolUsagesResponse> out) {
    TenantId tenant = Names.tenant(request.getParent());
    Principal caller = Principals.current();
    answer(
        out,
        ListPoolUsagesResponse.newBuilder()
            .addAllUsages(
                askFresh(
                    leader -> UsageMapper.pools(leader, tenant, viewer(caller, tenant, leader))))
            .build());
  }

  @Override
  public void listNodeUsages(
      ListNodeUsagesRequest request, StreamObserver<ListNodeUsagesResponse> out) {
    TenantId tenant = Names.tenant(request.getParent());
    Principal caller = Principals.current();
    answer(
        out,
        ListNodeUsagesResponse.newBuilder()
            .addAllUsages(
                ask(leader -> UsageMapper.nodes(leader, tenant, viewer(caller, tenant, leader))))
            .build());
  }

  @Override
  public void getLeadership(
      GetLeadershipRequest request, StreamObserver<GetLeadershipResponse> out) {
    GetLeadershipResponse.Builder response = GetLeadershipResponse.newBuilder();
    door.leadership()
        .ifPresent((Leadership leadership) -> {
          response.setIncarnation(leadership.incarnation().toString()).setEpoch(leadership.epoch());
          leadership.leader().ifPresent(response::setLeader);
          leadership.address().ifPresent(response::setAddress);
          leadership.since().map(ProtoTimes::toProto).ifPresent(response::setSince);
        });
    answer(out, response.build());
  }
}
