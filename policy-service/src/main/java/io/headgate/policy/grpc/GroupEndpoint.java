package io.headgate.policy.grpc;

import com.google.protobuf.Empty;
import io.grpc.stub.StreamObserver;
import io.headgate.policy.core.name.GroupId;
import io.headgate.policy.core.name.TenantId;
import io.headgate.policy.grpc.Names.Child;
import io.headgate.policy.grpc.Pages.Page;
import io.headgate.policy.runtime.AccessConfigurations;
import io.headgate.policy.runtime.Once;
import io.headgate.proto.policy.v1.CreateGroupRequest;
import io.headgate.proto.policy.v1.DeleteGroupRequest;
import io.headgate.proto.policy.v1.GetGroupRequest;
import io.headgate.proto.policy.v1.Group;
import io.headgate.proto.policy.v1.GroupServiceGrpc;
import io.headgate.proto.policy.v1.ListGroupsRequest;
import io.headgate.proto.policy.v1.ListGroupsResponse;
import io.headgate.proto.policy.v1.UpdateGroupRequest;
import java.util.List;
import java.util.Set;

/// Groups of a tenant.
final class GroupEndpoint extends GroupServiceGrpc.GroupServiceImplBase {
  private static final List<String> WRITABLE = List.of("users", "service_accounts");

  private final AccessConfigurations access;
  private final Answers answers;
  private final Pages pages;
  private final Masks masks;

  GroupEndpoint(AccessConfigurations access, Answers answers, Pages pages, Masks masks) {
    this.access = access;
    this.answers = answers;
    this.pages = pages;
    this.masks = masks;
  }

  @Override
  public void listGroups(ListGroupsRequest request, StreamObserver<ListGroupsResponse> out) {
    answers.read(
        out,
        origin -> {
          TenantId tenant = Names.tenant("parent", request.getParent());
          Page<io.headgate.policy.core.access.Group> page =
              pages.of(
                  Pages.Query.of(
                      "ListGroups", tenant, request.getPageSize(), request.getPageToken()),
                  access.get(tenant).configuration().groups(),
                  group -> group.id().value());
          return ListGroupsResponse.newBuilder()
              .addAllGroups(
                  page.items().stream().map(each -> AccessMapping.toProto(tenant, each)).toList())
              .setNextPageToken(page.next())
              .build();
        });
  }

  @Override
  public void getGroup(GetGroupRequest request, StreamObserver<Group> out) {
    answers.read(
        out,
        origin -> {
          Child<GroupId> name = name("name", request.getName());
          return AccessMapping.toProto(name.tenant(), access.get(name.tenant(), name.id()));
        });
  }

  @Override
  public void createGroup(CreateGroupRequest request, StreamObserver<Group> out) {
    answers.change(
        out,
        request.getParent() + "/" + AccessMapping.GROUPS + "/" + request.getGroupId(),
        origin -> {
          TenantId tenant = Names.tenant("parent", request.getParent());
          Once<io.headgate.policy.core.access.Group, Group> once =
              Onces.of(request, made -> AccessMapping.toProto(tenant, made), Group.parser());
          return access.create(
              origin, once, tenant, AccessMapping.spec(request.getGroupId(), request.getGroup()));
        });
  }

  @Override
  public void updateGroup(UpdateGroupRequest request, StreamObserver<Group> out) {
    Group wanted = request.getGroup();
    answers.change(
        out,
        wanted.getName(),
        origin -> {
          Child<GroupId> name = name("group.name", wanted.getName());
          Set<String> fields = Masks.fields(request.getUpdateMask(), WRITABLE);
          return AccessMapping.toProto(
              name.tenant(),
              access.update(
                  origin,
                  name.tenant(),
                  name.id(),
                  (io.headgate.policy.core.access.Group current) -> {
                    Group before = AccessMapping.toProto(name.tenant(), current);
                    Group next = masks.merged("group", before, wanted, fields);
                    return AccessMapping.spec(name.id().value(), next);
                  }));
        });
  }

  @Override
  public void deleteGroup(DeleteGroupRequest request, StreamObserver<Empty> out) {
    answers.change(
        out,
        request.getName(),
        origin -> {
          Child<GroupId> name = name("name", request.getName());
          access.delete(origin, name.tenant(), name.id());
          return Empty.getDefaultInstance();
        });
  }

  private static Child<GroupId> name(String field, String name) {
    return Names.child(field, name, AccessMapping.GROUPS, GroupId::new);
  }
}
