package io.headgate.policy.grpc;

import com.google.protobuf.Empty;
import io.grpc.stub.StreamObserver;
import io.headgate.policy.core.identity.KeyOwner;
import io.headgate.policy.core.name.TenantId;
import io.headgate.policy.core.name.UserId;
import io.headgate.policy.grpc.Names.Child;
import io.headgate.policy.grpc.Pages.Page;
import io.headgate.policy.runtime.Users;
import io.headgate.proto.policy.v1.CreateUserRequest;
import io.headgate.proto.policy.v1.DeleteUserRequest;
import io.headgate.proto.policy.v1.GetUserRequest;
import io.headgate.proto.policy.v1.ListUsersRequest;
import io.headgate.proto.policy.v1.ListUsersResponse;
import io.headgate.proto.policy.v1.UpdateUserRequest;
import io.headgate.proto.policy.v1.User;
import io.headgate.proto.policy.v1.UserServiceGrpc;
import java.util.List;
import java.util.Set;

/// People of a tenant.
final class UserEndpoint extends UserServiceGrpc.UserServiceImplBase {
  private static final String COLLECTION = "users";
  private static final String DISPLAY_NAME = "display_name";
  private static final String ADMIN = "admin";
  private static final List<String> WRITABLE = List.of(DISPLAY_NAME, ADMIN);

  private final Users users;
  private final Answers answers;
  private final Pages pages;

  UserEndpoint(Users users, Answers answers, Pages pages) {
    this.users = users;
    this.answers = answers;
    this.pages = pages;
  }

  @Override
  public void listUsers(ListUsersRequest request, StreamObserver<ListUsersResponse> out) {
    answers.read(
        out,
        origin -> {
          TenantId tenant = Names.tenant("parent", request.getParent());
          Page<io.headgate.policy.core.identity.User> page =
              pages.of(
                  Pages.Query.of(
                      "ListUsers", tenant, request.getPageSize(), request.getPageToken()),
                  UserId::new,
                  user -> user.id().value(),
                  (after, limit) -> users.list(tenant, after, limit));
          return ListUsersResponse.newBuilder()
              .addAllUsers(page.items().stream().map(UserEndpoint::toProto).toList())
              .setNextPageToken(page.next())
              .build();
        });
  }

  @Override
  public void getUser(GetUserRequest request, StreamObserver<User> out) {
    answers.read(
        out,
        origin -> {
          Child<UserId> name = Names.child("name", request.getName(), COLLECTION, UserId::new);
          return toProto(users.get(name.tenant(), name.id()));
        });
  }

  @Override
  public void createUser(CreateUserRequest request, StreamObserver<User> out) {
    answers.change(
        out,
        request.getParent() + "/" + COLLECTION + "/" + request.getUserId(),
        origin ->
            users.create(
                origin,
                Onces.of(request, UserEndpoint::toProto, User.parser()),
                Names.tenant("parent", request.getParent()),
                new UserId(request.getUserId()),
                new Users.Attributes(
                    request.getUser().getDisplayName(), request.getUser().getAdmin())));
  }

  @Override
  public void updateUser(UpdateUserRequest request, StreamObserver<User> out) {
    User wanted = request.getUser();
    answers.change(
        out,
        wanted.getName(),
        origin -> {
          Child<UserId> name = Names.child("user.name", wanted.getName(), COLLECTION, UserId::new);
          Set<String> fields = Masks.fields(request.getUpdateMask(), WRITABLE);
          return toProto(
              users.update(
                  origin,
                  name.tenant(),
                  name.id(),
                  current ->
                      new Users.Attributes(
                          fields.contains(DISPLAY_NAME)
                              ? wanted.getDisplayName()
                              : current.displayName(),
                          fields.contains(ADMIN) ? wanted.getAdmin() : current.isAdmin())));
        });
  }

  @Override
  public void deleteUser(DeleteUserRequest request, StreamObserver<Empty> out) {
    answers.change(
        out,
        request.getName(),
        origin -> {
          Child<UserId> name = Names.child("name", request.getName(), COLLECTION, UserId::new);
          users.delete(origin, name.tenant(), name.id());
          return Empty.getDefaultInstance();
        });
  }

  private static User toProto(io.headgate.policy.core.identity.User user) {
    return User.newBuilder()
        .setName(new KeyOwner.OfUser(user.tenant(), user.id()).name())
        .setDisplayName(user.displayName())
        .setAdmin(user.isAdmin())
        .setCreateTime(Times.toProto(user.createdAt()))
        .build();
  }
}
