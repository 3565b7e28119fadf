package io.headgate.policy.grpc;

import com.google.protobuf.Empty;
import io.grpc.stub.StreamObserver;
import io.headgate.policy.core.access.AccessSpec.QueueSpec;
import io.headgate.policy.core.name.QueueId;
import io.headgate.policy.grpc.ResourceCalls.Creation;
import io.headgate.policy.grpc.ResourceCalls.ListRequest;
import io.headgate.policy.grpc.ResourceCalls.Update;
import io.headgate.policy.runtime.TenantResources;
import io.headgate.proto.policy.v1.CreateQueueRequest;
import io.headgate.proto.policy.v1.DeleteQueueRequest;
import io.headgate.proto.policy.v1.GetQueueRequest;
import io.headgate.proto.policy.v1.ListQueuesRequest;
import io.headgate.proto.policy.v1.ListQueuesResponse;
import io.headgate.proto.policy.v1.Queue;
import io.headgate.proto.policy.v1.QueueServiceGrpc;
import io.headgate.proto.policy.v1.UpdateQueueRequest;
import java.util.List;

/// Queues of a tenant.
final class QueueEndpoint extends QueueServiceGrpc.QueueServiceImplBase {
  private static final ResourceCalls.Form<
          QueueId, io.headgate.policy.core.access.Queue, QueueSpec, Queue>
      FORM =
          new ResourceCalls.Form<>(
              AccessMapping.QUEUES,
              "queue",
              List.of("policy", "profile", "rank", "over_reservation", "paused"),
              QueueId::new,
              io.headgate.policy.core.access.Queue::id,
              AccessMapping::toProto,
              AccessMapping::spec,
              (next, _) -> next,
              Queue.parser());

  private final ResourceCalls<QueueId, io.headgate.policy.core.access.Queue, QueueSpec, Queue>
      calls;

  QueueEndpoint(
      TenantResources<QueueId, io.headgate.policy.core.access.Queue, QueueSpec> resources,
      ResourceCalls.Tools tools) {
    this.calls = new ResourceCalls<>(resources, FORM, tools);
  }

  @Override
  public void listQueues(ListQueuesRequest request, StreamObserver<ListQueuesResponse> out) {
    calls.list(
        out,
        new ListRequest(request.getParent(), request.getPageSize(), request.getPageToken()),
        (items, next) ->
            ListQueuesResponse.newBuilder().addAllQueues(items).setNextPageToken(next).build());
  }

  @Override
  public void getQueue(GetQueueRequest request, StreamObserver<Queue> out) {
    calls.get(out, request.getName());
  }

  @Override
  public void createQueue(CreateQueueRequest request, StreamObserver<Queue> out) {
    calls.create(
        out,
        request,
        new Creation<>(request.getParent(), request.getQueueId(), request.getQueue()));
  }

  @Override
  public void updateQueue(UpdateQueueRequest request, StreamObserver<Queue> out) {
    calls.update(
        out,
        new Update<>(request.getQueue().getName(), request.getQueue(), request.getUpdateMask()));
  }

  @Override
  public void deleteQueue(DeleteQueueRequest request, StreamObserver<Empty> out) {
    calls.delete(out, request.getName());
  }
}
