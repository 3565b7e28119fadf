package io.headgate.policy.grpc;

import com.google.protobuf.Empty;
import io.grpc.stub.StreamObserver;
import io.headgate.policy.core.name.QueueId;
import io.headgate.policy.core.name.TenantId;
import io.headgate.policy.grpc.Names.Child;
import io.headgate.policy.grpc.Pages.Page;
import io.headgate.policy.runtime.AccessConfigurations;
import io.headgate.policy.runtime.Once;
import io.headgate.proto.policy.v1.CreateQueueRequest;
import io.headgate.proto.policy.v1.DeleteQueueRequest;
import io.headgate.proto.policy.v1.GetQueueRequest;
import io.headgate.proto.policy.v1.ListQueuesRequest;
import io.headgate.proto.policy.v1.ListQueuesResponse;
import io.headgate.proto.policy.v1.Queue;
import io.headgate.proto.policy.v1.QueueServiceGrpc;
import io.headgate.proto.policy.v1.UpdateQueueRequest;
import java.util.List;
import java.util.Set;

/// Queues of a tenant.
final class QueueEndpoint extends QueueServiceGrpc.QueueServiceImplBase {
  private static final List<String> WRITABLE =
      List.of("policy", "profile", "rank", "over_reservation", "paused");

  private final AccessConfigurations access;
  private final Answers answers;
  private final Pages pages;
  private final Masks masks;

  QueueEndpoint(AccessConfigurations access, Answers answers, Pages pages, Masks masks) {
    this.access = access;
    this.answers = answers;
    this.pages = pages;
    this.masks = masks;
  }

  @Override
  public void listQueues(ListQueuesRequest request, StreamObserver<ListQueuesResponse> out) {
    answers.read(
        out,
        origin -> {
          TenantId tenant = Names.tenant("parent", request.getParent());
          Page<io.headgate.policy.core.access.Queue> page =
              pages.of(
                  Pages.Query.of(
                      "ListQueues", tenant, request.getPageSize(), request.getPageToken()),
                  access.get(tenant).configuration().queues(),
                  queue -> queue.id().value());
          return ListQueuesResponse.newBuilder()
              .addAllQueues(
                  page.items().stream().map(each -> AccessMapping.toProto(tenant, each)).toList())
              .setNextPageToken(page.next())
              .build();
        });
  }

  @Override
  public void getQueue(GetQueueRequest request, StreamObserver<Queue> out) {
    answers.read(
        out,
        origin -> {
          Child<QueueId> name = name("name", request.getName());
          return AccessMapping.toProto(name.tenant(), access.get(name.tenant(), name.id()));
        });
  }

  @Override
  public void createQueue(CreateQueueRequest request, StreamObserver<Queue> out) {
    answers.change(
        out,
        request.getParent() + "/" + AccessMapping.QUEUES + "/" + request.getQueueId(),
        origin -> {
          TenantId tenant = Names.tenant("parent", request.getParent());
          Once<io.headgate.policy.core.access.Queue, Queue> once =
              Onces.of(request, made -> AccessMapping.toProto(tenant, made), Queue.parser());
          return access.create(
              origin, once, tenant, AccessMapping.spec(request.getQueueId(), request.getQueue()));
        });
  }

  @Override
  public void updateQueue(UpdateQueueRequest request, StreamObserver<Queue> out) {
    Queue wanted = request.getQueue();
    answers.change(
        out,
        wanted.getName(),
        origin -> {
          Child<QueueId> name = name("queue.name", wanted.getName());
          Set<String> fields = Masks.fields(request.getUpdateMask(), WRITABLE);
          return AccessMapping.toProto(
              name.tenant(),
              access.update(
                  origin,
                  name.tenant(),
                  name.id(),
                  (io.headgate.policy.core.access.Queue current) -> {
                    Queue before = AccessMapping.toProto(name.tenant(), current);
                    Queue next = masks.merged("queue", before, wanted, fields);
                    return AccessMapping.spec(name.id().value(), next);
                  }));
        });
  }

  @Override
  public void deleteQueue(DeleteQueueRequest request, StreamObserver<Empty> out) {
    answers.change(
        out,
        request.getName(),
        origin -> {
          Child<QueueId> name = name("name", request.getName());
          access.delete(origin, name.tenant(), name.id());
          return Empty.getDefaultInstance();
        });
  }

  private static Child<QueueId> name(String field, String name) {
    return Names.child(field, name, AccessMapping.QUEUES, QueueId::new);
  }
}
