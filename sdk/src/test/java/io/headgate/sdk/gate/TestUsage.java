package io.headgate.sdk.gate;

import static io.headgate.sdk.gate.TestSupply.send;

import io.grpc.stub.StreamObserver;
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
import io.headgate.proto.scheduler.v1.NodeUsage;
import io.headgate.proto.scheduler.v1.PolicyUsage;
import io.headgate.proto.scheduler.v1.PoolUsage;
import io.headgate.proto.scheduler.v1.QueueUsage;
import io.headgate.proto.scheduler.v1.UsageServiceGrpc;
import java.util.ArrayList;
import java.util.List;

/// Use that a test prescribes.
public final class TestUsage extends UsageServiceGrpc.UsageServiceImplBase {
  public final List<PolicyUsage> policies = new ArrayList<>();
  public final List<QueueUsage> queues = new ArrayList<>();
  public final List<PoolUsage> pools = new ArrayList<>();
  public final List<NodeUsage> nodes = new ArrayList<>();

  @Override
  public void listPolicyUsages(
      ListPolicyUsagesRequest request, StreamObserver<ListPolicyUsagesResponse> answer) {
    send(answer, ListPolicyUsagesResponse.newBuilder().addAllUsages(policies).build());
  }

  @Override
  public void listQueueUsages(
      ListQueueUsagesRequest request, StreamObserver<ListQueueUsagesResponse> answer) {
    send(answer, ListQueueUsagesResponse.newBuilder().addAllUsages(queues).build());
  }

  @Override
  public void listPoolUsages(
      ListPoolUsagesRequest request, StreamObserver<ListPoolUsagesResponse> answer) {
    send(answer, ListPoolUsagesResponse.newBuilder().addAllUsages(pools).build());
  }

  @Override
  public void listNodeUsages(
      ListNodeUsagesRequest request, StreamObserver<ListNodeUsagesResponse> answer) {
    send(answer, ListNodeUsagesResponse.newBuilder().addAllUsages(nodes).build());
  }

  @Override
  public void getLeadership(
      GetLeadershipRequest request, StreamObserver<GetLeadershipResponse> answer) {
    send(answer, GetLeadershipResponse.newBuilder().setLeader("sched-1").setEpoch(4).build());
  }
}
