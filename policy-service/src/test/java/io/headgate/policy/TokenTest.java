package io.headgate.policy;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.util.Timestamps;
import com.nimbusds.jwt.SignedJWT;
import io.grpc.Status.Code;
import io.headgate.kit.failure.Refusal;
import io.headgate.kit.testing.PostgresFixture;
import io.headgate.proto.policy.v1.AccessConfiguration;
import io.headgate.proto.policy.v1.CreateGroupRequest;
import io.headgate.proto.policy.v1.CreateKeyRequest;
import io.headgate.proto.policy.v1.CreateKeyResponse;
import io.headgate.proto.policy.v1.DeleteUserRequest;
import io.headgate.proto.policy.v1.ExchangeKeyRequest;
import io.headgate.proto.policy.v1.ExchangeKeyResponse;
import io.headgate.proto.policy.v1.Group;
import io.headgate.proto.policy.v1.GroupServiceGrpc;
import io.headgate.proto.policy.v1.Key;
import io.headgate.proto.policy.v1.ListKeysRequest;
import io.headgate.proto.policy.v1.RevokeKeyRequest;
import io.headgate.proto.policy.v1.TokenServiceGrpc;
import io.headgate.proto.policy.v1.TokenServiceGrpc.TokenServiceBlockingStub;
import io.headgate.proto.policy.v1.UserServiceGrpc;
import io.headgate.proto.policy.v1.WhoAmIRequest;
import io.headgate.proto.policy.v1.WhoAmIResponse;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class TokenTest {
  @Order(1)
  @RegisterExtension
  static final PostgresFixture POSTGRES = PostgresFixture.of("policy");

  @Order(2)
  @RegisterExtension
  static final PolicyFixture POLICY = PolicyFixture.of(POSTGRES);

  @Test
  void aKeyBecomesATokenOfFiveMinutesThatSaysWhoOneIs() throws Exception {
    String tenant = POLICY.tenant();
    String ada = "tenants/" + tenant + "/users/ada";
    GroupServiceGrpc.newBlockingStub(POLICY.admin(tenant))
        .createGroup(
            CreateGroupRequest.newBuilder()
                .setParent("tenants/" + tenant)
                .setGroupId("ai-dev")
                .setGroup(Group.newBuilder().addUsers("ada"))
                .build());

    ExchangeKeyResponse answer = exchange(POLICY.key(ada));

    Instant now = POLICY.clock().instant();
    assertThat(Instant.ofEpochMilli(Timestamps.toMillis(answer.getExpireTime())))
        .isEqualTo(now.plus(Duration.ofMinutes(5)));
    var claims = SignedJWT.parse(answer.getToken()).getJWTClaimsSet();
    assertThat(claims.getSubject()).isEqualTo(ada);
    assertThat(claims.getStringListClaim("groups")).containsExactly("ai-dev");
    assertThat(claims.getJWTID()).isNotBlank();
    WhoAmIResponse self = whoAmI(answer.getToken());
    assertThat(self.getSubject()).isEqualTo(ada);
    assertThat(self.getRole()).isEqualTo("ROLE_MEMBER");
    assertThat(self.getTenant()).isEqualTo(tenant);
    assertThat(self.getGroupsList()).containsExactly("ai-dev");
  }

  @Test
  void aMachinesTokenLivesTenMinutesAndNoTokenOutlivesItsKey() {
    Instant now = POLICY.clock().instant();
    ExchangeKeyResponse service = exchange(POLICY.key("services/scheduler"));
    assertThat(Instant.ofEpochMilli(Timestamps.toMillis(service.getExpireTime())))
        .isEqualTo(now.plus(Duration.ofMinutes(10)));
    CreateKeyResponse made =
        TokenServiceGrpc.newBlockingStub(POLICY.operator())
            .createKey(
                CreateKeyRequest.newBuilder()
                    .setOwner("services/scheduler")
                    .setTimeToLive(com.google.protobuf.Duration.newBuilder().setSeconds(90))
                    .build());
    assertThat(
            Instant.ofEpochMilli(Timestamps.toMillis(exchange(made.getSecret()).getExpireTime())))
        .isEqualTo(now.plus(Duration.ofSeconds(90)));
  }

  @Test
  void aTokenEndsWithItsTimeAndTheKeyGivesANewOne() {
    String tenant = POLICY.tenant();
    String key = POLICY.key("tenants/" + tenant + "/users/ada");
    String token = POLICY.exchange(key);
    POLICY.clock().advance(Duration.ofMinutes(11));
    Refusal refusal = PolicyFixture.refusal(() -> whoAmI(token));
    assertThat(refusal.code()).isEqualTo(Code.UNAUTHENTICATED);
    assertThat(refusal.reason()).isEqualTo("TOKEN_EXPIRED");
    assertThat(whoAmI(POLICY.exchange(key)).getTenant()).isEqualTo(tenant);
  }

  @Test
  void aRevokedKeyIsGoodForNothing() {
    String tenant = POLICY.tenant();
    TokenServiceBlockingStub admin = TokenServiceGrpc.newBlockingStub(POLICY.admin(tenant));
    CreateKeyResponse made =
        admin.createKey(
            CreateKeyRequest.newBuilder()
                .setOwner("tenants/" + tenant + "/users/ada")
                .setDescription("laptop")
                .build());
    POLICY.exchange(made.getSecret());
    admin.revokeKey(RevokeKeyRequest.newBuilder().setName(made.getKey().getName()).build());
    assertRejected(made.getSecret());
    assertThat(keys(admin)).doesNotContain(made.getKey().getName());
  }

  @Test
  void anExpiredKeyIsGoodForNothing() {
    String tenant = POLICY.tenant();
    CreateKeyResponse made =
        TokenServiceGrpc.newBlockingStub(POLICY.operator())
            .createKey(
                CreateKeyRequest.newBuilder()
                    .setOwner("tenants/" + tenant + "/users/ada")
                    .setTimeToLive(com.google.protobuf.Duration.newBuilder().setSeconds(3600))
                    .build());
    POLICY.clock().advance(Duration.ofMinutes(59));
    POLICY.exchange(made.getSecret());
    POLICY.clock().advance(Duration.ofMinutes(1));
    assertRejected(made.getSecret());
  }

  @Test
  void aRemovedUsersKeyNeverWorksAgainNotEvenForANamesake() {
    String tenant = POLICY.tenant();
    String key = POLICY.key("tenants/" + tenant + "/users/ada");
    UserServiceGrpc.newBlockingStub(POLICY.admin(tenant))
        .deleteUser(
            DeleteUserRequest.newBuilder().setName("tenants/" + tenant + "/users/ada").build());
    assertRejected(key);
    GroupServiceGrpc.newBlockingStub(POLICY.admin(tenant))
        .createGroup(
            CreateGroupRequest.newBuilder()
                .setParent("tenants/" + tenant)
                .setGroupId("again")
                .setGroup(Group.newBuilder().addUsers("ada"))
                .build());
    assertRejected(key);
  }

  @Test
  void garbageIsRefusedLikeAnUnknownKey() {
    List<String> wrong =
        List.of(
            "x",
            "hg_user_0123456789abcdef_" + "A".repeat(43),
            "hg_join_0123456789abcdef_" + "A".repeat(43),
            "hg_user_0123456789abcdef_" + "A".repeat(42),
            "hg_root_0123456789abcdef_" + "A".repeat(43));
    wrong.forEach(TokenTest::assertRejected);
  }

  @Test
  void aKeyOfAnotherKindWithTheSameIdIsRefused() {
    String key = POLICY.adminKeys().getLast().reveal();
    assertRejected(key.replace("hg_op_", "hg_svc_"));
    assertRejected(key.substring(0, key.length() - 1) + (key.endsWith("A") ? "B" : "A"));
  }

  @Test
  void hundredsOfWrongKeysFromAnAddressKeepNoGoodKeyOut() {
    String tenant = POLICY.tenant();
    String good = POLICY.key("tenants/" + tenant + "/users/ada");
    String unused = POLICY.key("tenants/" + tenant + "/users/ada");
    exchange(good);
    for (int i = 0; i < 400; i++) {
      assertRejected("hg_node_%016x_%s".formatted(i, "A".repeat(43)));
    }
    // Neither a key that was good before, nor one that was never used.
    exchange(good);
    exchange(unused);
  }

  @Test
  void anUnknownKeyIsCalledUnknownHoweverOftenItIsTried() {
    String tenant = POLICY.tenant();
    String revoked = POLICY.key("tenants/" + tenant + "/users/ada");
    TokenServiceGrpc.newBlockingStub(POLICY.operator())
        .revokeKey(
            RevokeKeyRequest.newBuilder().setName("keys/" + revoked.split("_", 4)[2]).build());
    for (int i = 0; i < 50; i++) {
      assertRejected(revoked);
      assertRejected("hg_node_0123456789abcdef_" + "B".repeat(43));
    }
  }

  @Test
  void guessesAtAKeysIdDoNotHoldTheKeyBack() {
    String tenant = POLICY.tenant();
    String good = POLICY.key("tenants/" + tenant + "/users/ada");
    String id = good.split("_", 4)[2];
    for (int i = 0; i < 50; i++) {
      assertRejected("hg_user_" + id + "_" + "%043d".formatted(i));
    }
    exchange(good);
  }

  @Test
  void aTokenNamesAsManyGroupsAsFit() throws Exception {
    Acme acme = Acme.found(POLICY);
    AccessConfiguration.Builder many = AccessConfiguration.newBuilder();
    for (int i = 0; i < 60; i++) {
      many.addGroups(
          Group.newBuilder()
              .setName(acme.parent() + "/groups/" + "g".repeat(60) + i)
              .addUsers("ada"));
    }
    acme.replace(many);
    String token = POLICY.exchange(POLICY.key(acme.parent() + "/users/ada"));
    var claims = SignedJWT.parse(token).getJWTClaimsSet();
    assertThat(claims.getStringListClaim("groups")).hasSizeBetween(20, 30);
    assertThat(claims.getJSONObjectClaim("attributes")).containsEntry("groups_cut", "true");
    assertThat(whoAmI(token).getGroupsList()).hasSize(60);
  }

  private static ExchangeKeyResponse exchange(String key) {
    return TokenServiceGrpc.newBlockingStub(POLICY.anonymous())
        .exchangeKey(ExchangeKeyRequest.newBuilder().setKey(key).build());
  }

  private static WhoAmIResponse whoAmI(String token) {
    return TokenServiceGrpc.newBlockingStub(POLICY.channel(token))
        .whoAmI(WhoAmIRequest.getDefaultInstance());
  }

  private static List<String> keys(TokenServiceBlockingStub caller) {
    return caller.listKeys(ListKeysRequest.getDefaultInstance()).getKeysList().stream()
        .map(Key::getName)
        .toList();
  }

  private static void assertRejected(String key) {
    Refusal refusal = PolicyFixture.refusal(() -> exchange(key));
    assertThat(refusal.code()).isEqualTo(Code.UNAUTHENTICATED);
    assertThat(refusal.reason()).isEqualTo("KEY_REJECTED");
  }
}
