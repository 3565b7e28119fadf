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
  private static final List<String> WRITABLE = List.of("display_name", "admin");

  private final Users users;
  private final Answers answers;
  private final Pages pages;
  private final Masks masks;

  UserEndpoint(Users users, Answers answers, Pages pages, Masks masks) {
    this.users = users;
    this.answers = answers;
    this.pages = pages;
    this.masks = masks;
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
                  origin, name.tenant(), name.id(), current -> merged(current, wanted, fields)));
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

  private Users.Attributes merged(Users.Attributes current, User wanted, Set<String> fields) {
    User before =
        User.newBuilder().setDisplayName(current.displayName()).setAdmin(current.isAdmin()).build();
    User next = masks.merged("user", before, wanted, fields);
    return new Users.Attributes(next.getDisplayName(), next.getAdmin());
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
