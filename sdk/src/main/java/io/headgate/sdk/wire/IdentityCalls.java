package io.headgate.sdk.wire;

import com.google.protobuf.FieldMask;
import io.headgate.proto.policy.v1.CreateJoinTokenRequest;
import io.headgate.proto.policy.v1.CreateJoinTokenResponse;
import io.headgate.proto.policy.v1.CreateKeyRequest;
import io.headgate.proto.policy.v1.CreateKeyResponse;
import io.headgate.proto.policy.v1.CreateTenantRequest;
import io.headgate.proto.policy.v1.CreateUserRequest;
import io.headgate.proto.policy.v1.DeleteTenantRequest;
import io.headgate.proto.policy.v1.GetTenantRequest;
import io.headgate.proto.policy.v1.JoinToken;
import io.headgate.proto.policy.v1.ListJoinTokensRequest;
import io.headgate.proto.policy.v1.ListJoinTokensResponse;
import io.headgate.proto.policy.v1.ListKeysRequest;
import io.headgate.proto.policy.v1.ListKeysResponse;
import io.headgate.proto.policy.v1.ListServiceAccountsRequest;
import io.headgate.proto.policy.v1.ListServiceAccountsResponse;
import io.headgate.proto.policy.v1.ListTenantsRequest;
import io.headgate.proto.policy.v1.ListTenantsResponse;
import io.headgate.proto.policy.v1.ListUsersRequest;
import io.headgate.proto.policy.v1.ListUsersResponse;
import io.headgate.proto.policy.v1.RevokeJoinTokenRequest;
import io.headgate.proto.policy.v1.RevokeKeyRequest;
import io.headgate.proto.policy.v1.ServiceAccount;
import io.headgate.proto.policy.v1.ServiceAccountServiceGrpc;
import io.headgate.proto.policy.v1.Tenant;
import io.headgate.proto.policy.v1.TenantServiceGrpc;
import io.headgate.proto.policy.v1.TokenServiceGrpc;
import io.headgate.proto.policy.v1.UpdateUserRequest;
import io.headgate.proto.policy.v1.User;
import io.headgate.proto.policy.v1.UserServiceGrpc;
import io.headgate.proto.policy.v1.WhoAmIRequest;
import io.headgate.proto.policy.v1.WhoAmIResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/// Calls on identity, keys and join tokens, in messages.
public final class IdentityCalls {
  private final Connection connection;

  public IdentityCalls(Connection connection) {
    this.connection = connection;
  }

  public WhoAmIResponse whoAmI() {
    return connection.call(
        TokenServiceGrpc.getWhoAmIMethod(),
        WhoAmIRequest.getDefaultInstance(),
        Idempotency.IDEMPOTENT);
  }

  /// Makes a key. Not idempotent: each call makes a new secret.
  ///
  /// @param life time until it expires; null: it works until it is revoked
  public CreateKeyResponse createKey(String owner, String description, @Nullable Duration life) {
    CreateKeyRequest.Builder request =
        CreateKeyRequest.newBuilder().setOwner(owner).setDescription(description);
    if (life != null) {
      request.setTimeToLive(TimeMessages.duration(life));
    }
    return connection.call(
        TokenServiceGrpc.getCreateKeyMethod(), request.build(), Idempotency.NOT_IDEMPOTENT);
  }

  /// The keys of a tenant that are not revoked, newest first.
  public List<io.headgate.proto.policy.v1.Key> listKeys(String tenant) {
    return Paging.<io.headgate.proto.policy.v1.Key>collect(
            0,
            (pageSize, pageToken) -> {
              ListKeysResponse page =
                  connection.call(
                      TokenServiceGrpc.getListKeysMethod(),
                      ListKeysRequest.newBuilder()
                          .setParent(ResourceNames.tenant(tenant))
                          .setPageSize(pageSize)
                          .setPageToken(pageToken)
                          .build(),
                      Idempotency.IDEMPOTENT);
              return new Paging.Fetched<>(page.getKeysList(), page.getNextPageToken());
            })
        .items();
  }

  public void revokeKey(String name) {
    connection.call(
        TokenServiceGrpc.getRevokeKeyMethod(),
        RevokeKeyRequest.newBuilder().setName(name).build(),
        Idempotency.IDEMPOTENT);
  }

  /// The users of a tenant that the caller sees, by id.
  public List<User> users(String tenant) {
    return Paging.<User>collect(
            0,
            (pageSize, pageToken) -> {
              ListUsersResponse page =
                  connection.call(
                      UserServiceGrpc.getListUsersMethod(),
                      ListUsersRequest.newBuilder()
                          .setParent(ResourceNames.tenant(tenant))
                          .setPageSize(pageSize)
                          .setPageToken(pageToken)
                          .build(),
                      Idempotency.IDEMPOTENT);
              return new Paging.Fetched<>(page.getUsersList(), page.getNextPageToken());
            })
        .items();
  }

  /// Makes the user an admin, or a member.
  public void setAdmin(String tenant, String user, boolean admin) {
    connection.call(
        UserServiceGrpc.getUpdateUserMethod(),
        UpdateUserRequest.newBuilder()
            .setUser(
                User.newBuilder().setName(ResourceNames.of(tenant, "users", user)).setAdmin(admin))
            .setUpdateMask(FieldMask.newBuilder().addPaths("admin"))
            .build(),
        Idempotency.IDEMPOTENT);
  }

  /// Adds a user who is an admin.
  public void createAdmin(String tenant, String user) {
    connection.call(
        UserServiceGrpc.getCreateUserMethod(),
        CreateUserRequest.newBuilder()
            .setParent(ResourceNames.tenant(tenant))
            .setUserId(user)
            .setUser(User.newBuilder().setAdmin(true))
            .build(),
        Idempotency.NOT_IDEMPOTENT);
  }

  /// Resource names of all users and service accounts of a tenant.
  public List<String> people(String tenant) {
    String parent = ResourceNames.tenant(tenant);
    List<String> names = new ArrayList<>(users(tenant).stream().map(User::getName).toList());
    names.addAll(
        Paging.<String>collect(
                0,
                (pageSize, pageToken) -> {
                  ListServiceAccountsResponse page =
                      connection.call(
                          ServiceAccountServiceGrpc.getListServiceAccountsMethod(),
                          ListServiceAccountsRequest.newBuilder()
                              .setParent(parent)
                              .setPageSize(pageSize)
                              .setPageToken(pageToken)
                              .build(),
                          Idempotency.IDEMPOTENT);
                  return new Paging.Fetched<>(
                      page.getServiceAccountsList().stream().map(ServiceAccount::getName).toList(),
                      page.getNextPageToken());
                })
            .items());
    return names;
  }

  /// The tenants that the caller sees, by id.
  public List<Tenant> tenants() {
    return Paging.<Tenant>collect(
            0,
            (pageSize, pageToken) -> {
              ListTenantsResponse page =
                  connection.call(
                      TenantServiceGrpc.getListTenantsMethod(),
                      ListTenantsRequest.newBuilder()
                          .setPageSize(pageSize)
                          .setPageToken(pageToken)
                          .build(),
                      Idempotency.IDEMPOTENT);
              return new Paging.Fetched<>(page.getTenantsList(), page.getNextPageToken());
            })
        .items();
  }

  /// Adds a tenant.
  ///
  /// @param displayName for people; may be empty
  public void createTenant(String tenant, String displayName) {
    connection.call(
        TenantServiceGrpc.getCreateTenantMethod(),
        CreateTenantRequest.newBuilder()
            .setTenantId(tenant)
            .setTenant(Tenant.newBuilder().setDisplayName(displayName))
            .setRequestId(UUID.randomUUID().toString())
            .build(),
        Idempotency.IDEMPOTENT);
  }

  /// Removes a tenant without policies for ever.
  public void deleteTenant(String tenant) {
    connection.call(
        TenantServiceGrpc.getDeleteTenantMethod(),
        DeleteTenantRequest.newBuilder().setName(ResourceNames.tenant(tenant)).build(),
        Idempotency.NOT_IDEMPOTENT);
  }

  /// Fails with TENANT_NOT_FOUND when there is no such tenant, or the caller may not know of it.
  public void requireTenant(String tenant) {
    connection.call(
        TenantServiceGrpc.getGetTenantMethod(),
        GetTenantRequest.newBuilder().setName(ResourceNames.tenant(tenant)).build(),
        Idempotency.IDEMPOTENT);
  }

  /// The join tokens of a tenant that have not expired, newest first.
  public List<JoinToken> listJoinTokens(String tenant) {
    return Paging.<JoinToken>collect(
            0,
            (pageSize, pageToken) -> {
              ListJoinTokensResponse page =
                  connection.call(
                      TokenServiceGrpc.getListJoinTokensMethod(),
                      ListJoinTokensRequest.newBuilder()
                          .setParent(ResourceNames.tenant(tenant))
                          .setPageSize(pageSize)
                          .setPageToken(pageToken)
                          .build(),
                      Idempotency.IDEMPOTENT);
              return new Paging.Fetched<>(page.getJoinTokensList(), page.getNextPageToken());
            })
        .items();
  }

  public void revokeJoinToken(String tenant, String id) {
    connection.call(
        TokenServiceGrpc.getRevokeJoinTokenMethod(),
        RevokeJoinTokenRequest.newBuilder()
            .setName(ResourceNames.of(tenant, "joinTokens", id))
            .build(),
        Idempotency.IDEMPOTENT);
  }

  public CreateJoinTokenResponse createJoinToken(
      String tenant, String pool, int uses, Duration life) {
    return connection.call(
        TokenServiceGrpc.getCreateJoinTokenMethod(),
        CreateJoinTokenRequest.newBuilder()
            .setParent(ResourceNames.tenant(tenant))
            .setPool(pool)
            .setUses(uses)
            .setTimeToLive(TimeMessages.duration(life))
            .build(),
        Idempotency.NOT_IDEMPOTENT);
  }
}
