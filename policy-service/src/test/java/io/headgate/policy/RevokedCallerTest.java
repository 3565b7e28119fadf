package io.headgate.policy;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.FieldMask;
import io.grpc.Channel;
import io.grpc.ManagedChannel;
import io.grpc.Status.Code;
import io.headgate.kit.client.Channels;
import io.headgate.kit.failure.Refusal;
import io.headgate.kit.telemetry.Telemetry;
import io.headgate.kit.testing.PostgresFixture;
import io.headgate.kit.testing.TestChannels;
import io.headgate.proto.policy.v1.CreateGroupRequest;
import io.headgate.proto.policy.v1.CreateJoinTokenRequest;
import io.headgate.proto.policy.v1.CreateKeyRequest;
import io.headgate.proto.policy.v1.CreateTenantRequest;
import io.headgate.proto.policy.v1.CreateUserRequest;
import io.headgate.proto.policy.v1.DeleteTenantRequest;
import io.headgate.proto.policy.v1.DeleteUserRequest;
import io.headgate.proto.policy.v1.Group;
import io.headgate.proto.policy.v1.GroupServiceGrpc;
import io.headgate.proto.policy.v1.ListKeysRequest;
import io.headgate.proto.policy.v1.RevokeKeyRequest;
import io.headgate.proto.policy.v1.Tenant;
import io.headgate.proto.policy.v1.TenantServiceGrpc;
import io.headgate.proto.policy.v1.TokenServiceGrpc;
import io.headgate.proto.policy.v1.UpdateUserRequest;
import io.headgate.proto.policy.v1.User;
import io.headgate.proto.policy.v1.UserServiceGrpc;
import io.headgate.proto.policy.v1.WhoAmIRequest;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/// Withdrawn callers play on with the tokens that they still have. Each attack is tried at the
/// instance that withdrew the right, and at a second one. The second instance hears of no
/// revocation, so only its look at the stored keys and accounts can stop the attack.
class RevokedCallerTest {
  @Order(1)
  @RegisterExtension
  static final PostgresFixture POSTGRES = PostgresFixture.of("policy");

  @Order(2)
  @RegisterExtension
  static final PolicyFixture POLICY = PolicyFixture.of(POSTGRES);

  private static SecondInstance deaf;

  @BeforeAll
  static void startTheDeafInstance() {
    deaf = SecondInstance.of(POSTGRES.config(), POLICY);
  }

  @AfterAll
  static void stopTheDeafInstance() {
    deaf.close();
  }

  @Test
  void aRevokedKeyMakesNoKey() {
    String tenant = POLICY.tenant();
    String owner = "tenants/" + tenant + "/users/admin";
    String key = POLICY.key(owner);
    String token = POLICY.exchange(key);
    revoke(POLICY.operator(), key);
    refusedEverywhere(
        token,
        caller ->
            TokenServiceGrpc.newBlockingStub(caller)
                .createKey(CreateKeyRequest.newBuilder().setOwner(owner).build()));
    assertThat(POLICY.exchange(POLICY.key(owner))).isNotEmpty();
  }

  @Test
  void aDeletedAdminMakesNoAdmin() {
    String tenant = POLICY.tenant();
    String token = POLICY.exchange(POLICY.key("tenants/" + tenant + "/users/admin"));
    delete(POLICY.operator(), tenant, "admin");
    refusedEverywhere(
        token,
        caller ->
            UserServiceGrpc.newBlockingStub(caller)
                .createUser(
                    CreateUserRequest.newBuilder()
                        .setParent("tenants/" + tenant)
                        .setUserId("mallory")
                        .setUser(User.newBuilder().setAdmin(true))
                        .build()));
  }

  @Test
  void aDemotedAdminDoesNotPromoteItself() {
    String tenant = POLICY.tenant();
    String key = POLICY.key("tenants/" + tenant + "/users/admin");
    String token = POLICY.exchange(key);
    setAdmin(POLICY.operator(), tenant, "admin", false);
    refusedEverywhere(token, caller -> setAdmin(caller, tenant, "admin", true));
    // The new token states the present role, and is good at once.
    String now = POLICY.exchange(key);
    Refusal refusal =
        PolicyFixture.refusal(() -> setAdmin(POLICY.channel(now), tenant, "admin", true));
    assertThat(refusal.reason()).isEqualTo("ROLE_DENIED");
    setAdmin(POLICY.operator(), tenant, "admin", true);
    setAdmin(POLICY.channel(POLICY.exchange(key)), tenant, "ada", true);
  }

  @Test
  void aWithdrawnAdminWritesNoRightsAndNoJoinTokens() {
    String tenant = Acme.found(POLICY).id();
    String key = POLICY.key("tenants/" + tenant + "/users/admin");
    String token = POLICY.exchange(key);
    revoke(POLICY.operator(), key);
    refusedEverywhere(
        token,
        caller ->
            GroupServiceGrpc.newBlockingStub(caller)
                .createGroup(
                    CreateGroupRequest.newBuilder()
                        .setParent("tenants/" + tenant)
                        .setGroupId("mine")
                        .setGroup(Group.newBuilder().addUsers("admin"))
                        .build()));
    refusedEverywhere(
        token,
        caller ->
            TokenServiceGrpc.newBlockingStub(caller)
                .createJoinToken(
                    CreateJoinTokenRequest.newBuilder()
                        .setParent("tenants/" + tenant)
                        .setPool("onprem")
                        .build()));
    refusedEverywhere(token, caller -> delete(caller, tenant, "ada"));
    refusedEverywhere(
        token,
        caller ->
            TokenServiceGrpc.newBlockingStub(caller)
                .revokeKey(
                    RevokeKeyRequest.newBuilder()
                        .setName("keys/" + id(POLICY.key("tenants/" + tenant + "/users/ada")))
                        .build()));
  }

  @Test
  void aRevokedOperatorMakesNeitherTenantNorKey() {
    String key = POLICY.key("operators/second");
    String token = POLICY.exchange(key);
    revoke(POLICY.operator(), key);
    refusedEverywhere(
        token,
        caller ->
            TenantServiceGrpc.newBlockingStub(caller)
                .createTenant(
                    CreateTenantRequest.newBuilder()
                        .setTenantId("shadow")
                        .setTenant(Tenant.getDefaultInstance())
                        .build()));
    refusedEverywhere(
        token,
        caller ->
            TokenServiceGrpc.newBlockingStub(caller)
                .createKey(CreateKeyRequest.newBuilder().setOwner("operators/root").build()));
  }

  @Test
  void aTokenOfARemovedTenantReadsNothing() {
    String tenant = POLICY.tenant();
    String token = POLICY.exchange(POLICY.key("tenants/" + tenant + "/users/ada"));
    TenantServiceGrpc.newBlockingStub(POLICY.operator())
        .deleteTenant(DeleteTenantRequest.newBuilder().setName("tenants/" + tenant).build());
    Refusal refusal =
        PolicyFixture.refusal(() ->
            TokenServiceGrpc.newBlockingStub(POLICY.channel(token))
                .whoAmI(WhoAmIRequest.getDefaultInstance()));
    assertThat(refusal.reason()).isEqualTo("TOKEN_REVOKED");
  }

  @Test
  void readsEndAtOnceToo() {
    String tenant = POLICY.tenant();
    String key = POLICY.key("tenants/" + tenant + "/users/admin");
    String token = POLICY.exchange(key);
    TokenServiceGrpc.newBlockingStub(POLICY.channel(token))
        .listKeys(ListKeysRequest.getDefaultInstance());
    revoke(POLICY.operator(), key);
    Refusal refusal =
        PolicyFixture.refusal(() ->
            TokenServiceGrpc.newBlockingStub(POLICY.channel(token))
                .listKeys(ListKeysRequest.getDefaultInstance()));
    assertThat(refusal.code()).isEqualTo(Code.UNAUTHENTICATED);
    assertThat(refusal.reason()).isEqualTo("TOKEN_REVOKED");
  }

  private interface Attack {
    void by(Channel caller);
  }

  private static void refusedEverywhere(String token, Attack attack) {
    assertRevoked(attack, POLICY.channel(token));
    ManagedChannel atDeaf =
        Channels.open(
            TestChannels.patient(deaf.server().uri()),
            () -> Optional.of(token),
            Telemetry.disabled());
    try {
      assertRevoked(attack, atDeaf);
    } finally {
      atDeaf.shutdownNow();
    }
  }

  private static void assertRevoked(Attack attack, Channel caller) {
    Refusal refusal = PolicyFixture.refusal(() -> attack.by(caller));
    assertThat(refusal.code()).isEqualTo(Code.UNAUTHENTICATED);
    assertThat(refusal.reason()).isEqualTo("TOKEN_REVOKED");
  }

  private static void revoke(Channel caller, String secret) {
    TokenServiceGrpc.newBlockingStub(caller)
        .revokeKey(RevokeKeyRequest.newBuilder().setName("keys/" + id(secret)).build());
  }

  private static String id(String secret) {
    return secret.split("_", 4)[2];
  }

  private static void delete(Channel caller, String tenant, String user) {
    UserServiceGrpc.newBlockingStub(caller)
        .deleteUser(
            DeleteUserRequest.newBuilder().setName("tenants/" + tenant + "/users/" + user).build());
  }

  private static void setAdmin(Channel caller, String tenant, String user, boolean admin) {
    UserServiceGrpc.newBlockingStub(caller)
        .updateUser(
            UpdateUserRequest.newBuilder()
                .setUser(
                    User.newBuilder()
                        .setName("tenants/" + tenant + "/users/" + user)
                        .setAdmin(admin))
                .setUpdateMask(FieldMask.newBuilder().addAllPaths(List.of("admin")))
                .build());
  }
}
