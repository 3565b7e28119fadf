package io.headgate.policy.grpc;

import com.google.protobuf.Empty;
import io.grpc.stub.StreamObserver;
import io.headgate.kit.grpc.ProtoTimes;
import io.headgate.policy.core.identity.KeyOwner;
import io.headgate.policy.core.identity.UserSpec;
import io.headgate.policy.core.name.UserId;
import io.headgate.policy.grpc.ResourceCalls.Creation;
import io.headgate.policy.grpc.ResourceCalls.ListRequest;
import io.headgate.policy.grpc.ResourceCalls.Update;
import io.headgate.policy.runtime.TenantResources;
import io.headgate.proto.policy.v1.CreateUserRequest;
import io.headgate.proto.policy.v1.DeleteUserRequest;
import io.headgate.proto.policy.v1.GetUserRequest;
import io.headgate.proto.policy.v1.ListUsersRequest;
import io.headgate.proto.policy.v1.ListUsersResponse;
import io.headgate.proto.policy.v1.UpdateUserRequest;
import io.headgate.proto.policy.v1.User;
import io.headgate.proto.policy.v1.UserServiceGrpc;
import java.util.List;

/// People of a tenant.
final class UserEndpoint extends UserServiceGrpc.UserServiceImplBase {
  private static final ResourceCalls.Form<
          UserId, io.headgate.policy.core.identity.User, UserSpec, User>
      FORM =
          new ResourceCalls.Form<>(
              "users",
              "user",
              List.of("display_name", "admin"),
              UserId::new,
              io.headgate.policy.core.identity.User::id,
              (_, user) -> toProto(user),
              (id, user) -> new UserSpec(new UserId(id), user.getDisplayName(), user.getAdmin()),
              (next, _) -> next,
              User.parser());

  private final ResourceCalls<UserId, io.headgate.policy.core.identity.User, UserSpec, User> calls;

  UserEndpoint(
      TenantResources<UserId, io.headgate.policy.core.identity.User, UserSpec> resources,
      ResourceCalls.Tools tools) {
    this.calls = new ResourceCalls<>(resources, FORM, tools);
  }

  @Override
  public void listUsers(ListUsersRequest request, StreamObserver<ListUsersResponse> out) {
    calls.list(
        out,
        new ListRequest(request.getParent(), request.getPageSize(), request.getPageToken()),
        (items, next) ->
            ListUsersResponse.newBuilder().addAllUsers(items).setNextPageToken(next).build());
  }

  @Override
  public void getUser(GetUserRequest request, StreamObserver<User> out) {
    calls.get(out, request.getName());
  }

  @Override
  public void createUser(CreateUserRequest request, StreamObserver<User> out) {
    calls.create(
        out, request, new Creation<>(request.getParent(), request.getUserId(), request.getUser()));
  }

  @Override
  public void updateUser(UpdateUserRequest request, StreamObserver<User> out) {
    calls.update(
        out, new Update<>(request.getUser().getName(), request.getUser(), request.getUpdateMask()));
  }

  @Override
  public void deleteUser(DeleteUserRequest request, StreamObserver<Empty> out) {
    calls.delete(out, request.getName());
  }

  private static User toProto(io.headgate.policy.core.identity.User user) {
    return User.newBuilder()
        .setName(new KeyOwner.OfUser(user.tenant(), user.id()).name())
        .setDisplayName(user.displayName())
        .setAdmin(user.isAdmin())
        .setCreateTime(ProtoTimes.toProto(user.createdAt()))
        .build();
  }
}
