package io.headgate.policy.grpc;

import com.google.protobuf.Empty;
import io.grpc.stub.StreamObserver;
import io.headgate.policy.core.access.AccessSpec.GroupSpec;
import io.headgate.policy.core.name.GroupId;
import io.headgate.policy.grpc.ResourceCalls.Creation;
import io.headgate.policy.grpc.ResourceCalls.ListRequest;
import io.headgate.policy.grpc.ResourceCalls.Update;
import io.headgate.policy.runtime.TenantResources;
import io.headgate.proto.policy.v1.CreateGroupRequest;
import io.headgate.proto.policy.v1.DeleteGroupRequest;
import io.headgate.proto.policy.v1.GetGroupRequest;
import io.headgate.proto.policy.v1.Group;
import io.headgate.proto.policy.v1.GroupServiceGrpc;
import io.headgate.proto.policy.v1.ListGroupsRequest;
import io.headgate.proto.policy.v1.ListGroupsResponse;
import io.headgate.proto.policy.v1.UpdateGroupRequest;
import java.util.List;

/// Groups of a tenant.
final class GroupEndpoint extends GroupServiceGrpc.GroupServiceImplBase {
  private static final ResourceCalls.Form<
          GroupId, io.headgate.policy.core.access.Group, GroupSpec, Group>
      FORM =
          new ResourceCalls.Form<>(
              AccessMapping.GROUPS,
              "group",
              List.of("users", "service_accounts", "leads"),
              GroupId::new,
              io.headgate.policy.core.access.Group::id,
              AccessMapping::toProto,
              AccessMapping::spec,
              (next, _) -> next,
              Group.parser());

  private final ResourceCalls<GroupId, io.headgate.policy.core.access.Group, GroupSpec, Group>
      calls;

  GroupEndpoint(
      TenantResources<GroupId, io.headgate.policy.core.access.Group, GroupSpec> resources,
      ResourceCalls.Tools tools) {
    this.calls = new ResourceCalls<>(resources, FORM, tools);
  }

  @Override
  public void listGroups(ListGroupsRequest request, StreamObserver<ListGroupsResponse> out) {
    calls.list(
        out,
        new ListRequest(request.getParent(), request.getPageSize(), request.getPageToken()),
        (items, next) ->
            ListGroupsResponse.newBuilder().addAllGroups(items).setNextPageToken(next).build());
  }

  @Override
  public void getGroup(GetGroupRequest request, StreamObserver<Group> out) {
    calls.get(out, request.getName());
  }

  @Override
  public void createGroup(CreateGroupRequest request, StreamObserver<Group> out) {
    calls.create(
        out,
        request,
        new Creation<>(request.getParent(), request.getGroupId(), request.getGroup()));
  }

  @Override
  public void updateGroup(UpdateGroupRequest request, StreamObserver<Group> out) {
    calls.update(
        out,
        new Update<>(request.getGroup().getName(), request.getGroup(), request.getUpdateMask()));
  }

  @Override
  public void deleteGroup(DeleteGroupRequest request, StreamObserver<Empty> out) {
    calls.delete(out, request.getName());
  }
}
