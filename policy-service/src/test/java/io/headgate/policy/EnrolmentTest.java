package io.headgate.policy;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.Channel;
import io.grpc.Status.Code;
import io.headgate.kit.auth.Principal;
import io.headgate.kit.auth.Role;
import io.headgate.kit.failure.Refusal;
import io.headgate.kit.testing.PostgresFixture;
import io.headgate.proto.policy.v1.CreateJoinTokenRequest;
import io.headgate.proto.policy.v1.CreateJoinTokenResponse;
import io.headgate.proto.policy.v1.DeleteTenantRequest;
import io.headgate.proto.policy.v1.EnrollNodeResponse;
import io.headgate.proto.policy.v1.JoinToken;
import io.headgate.proto.policy.v1.Key;
import io.headgate.proto.policy.v1.ListJoinTokensRequest;
import io.headgate.proto.policy.v1.ListJoinTokensResponse;
import io.headgate.proto.policy.v1.ListKeysRequest;
import io.headgate.proto.policy.v1.RevokeJoinTokenRequest;
import io.headgate.proto.policy.v1.RevokeKeyRequest;
import io.headgate.proto.policy.v1.TenantServiceGrpc;
import io.headgate.proto.policy.v1.TokenServiceGrpc;
import io.headgate.proto.pool.v1.ResourceConfiguration;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class EnrolmentTest {
  @Order(1)
  @RegisterExtension
  static final PostgresFixture POSTGRES = PostgresFixture.of("policy");

  @Order(2)
  @RegisterExtension
  static final PolicyFixture POLICY = PolicyFixture.of(POSTGRES);

  private static final TestMachine MACHINE = new TestMachine();

  @Test
  void aMachineGetsTheIdentityThatItsJoinTokenSays() {
    String tenant = tenantWithPool();
    EnrollNodeResponse enrolled = enroll(joinToken(tenant, 1), "gpu-1");
    assertThat(enrolled.getNode()).isEqualTo("tenants/" + tenant + "/nodes/gpu-1");
    assertThat(enrolled.getPool()).isEqualTo("onprem");
    Principal node = POLICY.service().verifier().verify(exchange(enrolled.getNodeKey()));
    assertThat(node.role()).isEqualTo(Role.NODE);
    assertThat(node.tenant()).isEqualTo(tenant);
    assertThat(node.node()).isEqualTo("gpu-1");
    assertThat(node.attributes()).containsEntry("pool", "onprem");
  }

  @Test
  void aTokenIsGoodForOneMachineUnlessItSaysMore() {
    String tenant = tenantWithPool();
    String one = joinToken(tenant, 0);
    enroll(one, "a");
    assertThat(reason(one, "b")).isEqualTo("JOIN_TOKEN_REJECTED");
    String two = joinToken(tenant, 2);
    enroll(two, "c");
    enroll(two, "d");
    assertThat(reason(two, "e")).isEqualTo("JOIN_TOKEN_REJECTED");
  }

  @Test
  void usesAreCountedExactlyWhenManyMachinesJoinAtOnce() throws Exception {
    String token = joinToken(tenantWithPool(), 3);
    List<String> outcomes = new ArrayList<>();
    try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<EnrollNodeResponse>> joins = new ArrayList<>();
      for (int i = 0; i < 8; i++) {
        String node = "n" + i;
        joins.add(threads.submit(() -> enroll(token, node)));
      }
      for (Future<EnrollNodeResponse> join : joins) {
        try {
          join.get();
          outcomes.add("joined");
        } catch (ExecutionException e) {
          outcomes.add("refused");
        }
      }
    }
    assertThat(outcomes).filteredOn("joined"::equals).hasSize(3);
  }

  @Test
  void aTokenEndsInAnHour() {
    String tenant = tenantWithPool();
    String token = joinToken(tenant, 1);
    POLICY.clock().advance(Duration.ofMinutes(61));
    assertThat(reason(token, "late")).isEqualTo("JOIN_TOKEN_REJECTED");
  }

  @Test
  void aSecondMachineCannotTakeANodesNameUntilTheFirstOnesKeyIsRevoked() {
    String tenant = tenantWithPool();
    enroll(joinToken(tenant, 1), "gpu-1");
    String token = joinToken(tenant, 1);
    Refusal refusal = PolicyFixture.refusal(() -> enroll(token, "gpu-1"));
    assertThat(refusal.code()).isEqualTo(Code.ALREADY_EXISTS);
    assertThat(refusal.reason()).isEqualTo("NAME_TAKEN");
    assertThat(refusal.violations().getFirst().field()).isEqualTo("node_id");
    String key = refusal.metadata().get("key");
    assertThat(refusal.message()).contains("gpu-1", key);

    TokenServiceGrpc.newBlockingStub(POLICY.admin(tenant))
        .revokeKey(RevokeKeyRequest.newBuilder().setName(key).build());
    // The refused attempt took no use away.
    assertThat(enroll(token, "gpu-1").getNode()).endsWith("/gpu-1");
  }

  @Test
  void aMachineThatDidNotHearTheAnswerAsksAgainAndHearsTheSame() {
    String tenant = tenantWithPool();
    String token = joinToken(tenant, 1);
    String request = UUID.randomUUID().toString();
    EnrollNodeResponse first = enroll(token, "gpu-1", request);
    assertThat(enroll(token, "gpu-1", request)).isEqualTo(first);
    POLICY.clock().advance(Duration.ofHours(24));
    // Tokens that ended long ago are forgotten when a new one is made; this one ended today.
    joinToken(tenant, 1);
    assertThat(enroll(token, "gpu-1", request)).isEqualTo(first);
    assertThat(POLICY.service().verifier().verify(exchange(first.getNodeKey())).node())
        .isEqualTo("gpu-1");
    assertThat(nodeKeys(tenant, false)).hasSize(1);
    POLICY.clock().advance(Duration.ofHours(2));
    // Each forgets only some, and other tests' tokens are as old.
    for (int i = 0; i < 5; i++) {
      joinToken(tenant, 1);
    }
    assertThat(PolicyFixture.refusal(() -> enroll(token, "gpu-1", request)).reason())
        .isEqualTo("JOIN_TOKEN_REJECTED");
  }

  @Test
  void aRepeatedRequestTakesOneUseHoweverManyAtOnce() throws Exception {
    String token = joinToken(tenantWithPool(), 2);
    String request = UUID.randomUUID().toString();
    try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<EnrollNodeResponse>> attempts = new ArrayList<>();
      for (int i = 0; i < 8; i++) {
        attempts.add(threads.submit(() -> enroll(token, "gpu-1", request)));
      }
      EnrollNodeResponse answer = attempts.getFirst().get();
      for (Future<EnrollNodeResponse> attempt : attempts) {
        assertThat(attempt.get()).isEqualTo(answer);
      }
    }
    enroll(token, "gpu-2");
    assertThat(reason(token, "gpu-3")).isEqualTo("JOIN_TOKEN_REJECTED");
  }

  @Test
  void onlyWhoHasTheTokenAndTheRequestGetsTheKeyAgain() {
    String tenant = tenantWithPool();
    String token = joinToken(tenant, 3);
    String request = UUID.randomUUID().toString();
    EnrollNodeResponse first = enroll(token, "gpu-1", request);
    String otherRequest = UUID.randomUUID().toString();
    assertThat(PolicyFixture.refusal(() -> enroll(token, "gpu-1", otherRequest)).reason())
        .isEqualTo("NAME_TAKEN");
    String otherToken = joinToken(tenant, 1);
    assertThat(PolicyFixture.refusal(() -> enroll(otherToken, "gpu-1", request)).reason())
        .isEqualTo("NAME_TAKEN");
    Refusal reused = PolicyFixture.refusal(() -> enroll(token, "gpu-2", request));
    assertThat(reused.code()).isEqualTo(Code.INVALID_ARGUMENT);
    assertThat(reused.reason()).isEqualTo("REQUEST_ID_REUSED");
    assertThat(reused.violations().getFirst().field()).isEqualTo("request_id");
    // The other machine, under its own request, gets a key of its own.
    assertThat(enroll(token, "gpu-2", otherRequest).getNodeKey()).isNotEqualTo(first.getNodeKey());
    assertThat(PolicyFixture.refusal(() -> enroll(token, "gpu-3", "1")).reason())
        .isEqualTo("INVALID_FIELD");
  }

  @Test
  void aRevokedKeyIsNotToldAgain() {
    String tenant = tenantWithPool();
    String token = joinToken(tenant, 2);
    String request = UUID.randomUUID().toString();
    enroll(token, "gpu-1", request);
    Key key = nodeKeys(tenant, false).getFirst();
    assertThat(key.hasRevokeTime()).isFalse();
    TokenServiceGrpc.newBlockingStub(POLICY.admin(tenant))
        .revokeKey(RevokeKeyRequest.newBuilder().setName(key.getName()).build());
    assertThat(PolicyFixture.refusal(() -> enroll(token, "gpu-1", request)).reason())
        .isEqualTo("JOIN_TOKEN_REJECTED");
    enroll(token, "gpu-1", UUID.randomUUID().toString());
    assertThat(nodeKeys(tenant, false)).extracting(Key::hasRevokeTime).containsExactly(false);
    assertThat(nodeKeys(tenant, true))
        .extracting(Key::hasRevokeTime)
        .containsExactlyInAnyOrder(false, true);
  }

  @Test
  void theSameNameInAnotherTenantIsAnotherNode() {
    enroll(joinToken(tenantWithPool(), 1), "gpu-1");
    enroll(joinToken(tenantWithPool(), 1), "gpu-1");
  }

  @Test
  void aKeyIsNoJoinTokenAndAJoinTokenNoKey() {
    String tenant = tenantWithPool();
    String key = POLICY.key("tenants/" + tenant + "/users/ada");
    assertThat(reason(key, "x")).isEqualTo("JOIN_TOKEN_REJECTED");
    String token = joinToken(tenant, 1);
    assertThat(PolicyFixture.refusal(() -> POLICY.exchange(token)).reason())
        .isEqualTo("KEY_REJECTED");
  }

  @Test
  void refusesAPoolThatIsNotProvisioned() {
    String tenant = tenantWithPool();
    Refusal refusal =
        PolicyFixture.refusal(() -> create(POLICY.admin(tenant), tenant, "onprme", 1, 3600));
    assertThat(refusal.reason()).isEqualTo("POOL_NOT_FOUND");
    assertThat(refusal.violations().getFirst().field()).isEqualTo("pool");
    assertThat(refusal.metadata()).containsEntry("nearest", "onprem");
  }

  @Test
  void refusesATokenThatLivesTooLong() {
    String tenant = tenantWithPool();
    Refusal refusal =
        PolicyFixture.refusal(() -> create(POLICY.admin(tenant), tenant, "onprem", 1, 86_401));
    assertThat(refusal.reason()).isEqualTo("OUT_OF_RANGE");
    assertThat(refusal.violations().getFirst().field()).isEqualTo("time_to_live");
    assertThat(refusal.message()).contains("24h1s is not within 1s to 24h");
  }

  @Test
  void anAdminSeesTheTokensThatHaveNotEndedAndNoSecret() {
    String tenant = tenantWithPool();
    CreateJoinTokenResponse old = create(POLICY.admin(tenant), tenant, "onprem", 1, 60);
    POLICY.clock().advance(Duration.ofSeconds(60));
    CreateJoinTokenResponse three = create(POLICY.admin(tenant), tenant, "onprem", 3, 0);
    enroll(three.getJoinToken(), "gpu-1");
    POLICY.clock().advance(Duration.ofSeconds(1));
    CreateJoinTokenResponse one = create(POLICY.admin(tenant), tenant, "onprem", 1, 0);
    assertThat(old.getJoinToken())
        .contains(old.getName().substring(old.getName().lastIndexOf('/') + 1));

    ListJoinTokensResponse first = list(tenant, 1, "");
    ListJoinTokensResponse second = list(tenant, 1, first.getNextPageToken());
    assertThat(first.getJoinTokensList())
        .extracting(JoinToken::getName)
        .containsExactly(one.getName());
    assertThat(second.getNextPageToken()).isEmpty();
    assertThat(second.getJoinTokensList())
        .singleElement()
        .returns(three.getName(), JoinToken::getName)
        .returns("onprem", JoinToken::getPool)
        .returns(3, JoinToken::getUses)
        .returns(2, JoinToken::getUsesLeft)
        .returns(three.getExpireTime(), JoinToken::getExpireTime);
  }

  @Test
  void nobodyJoinsWithARevokedTokenAndWhoHasJoinedStays() {
    String tenant = tenantWithPool();
    CreateJoinTokenResponse made = create(POLICY.admin(tenant), tenant, "onprem", 2, 0);
    String request = UUID.randomUUID().toString();
    EnrollNodeResponse joined = enroll(made.getJoinToken(), "gpu-1", request);

    revoke(tenant, made.getName());
    revoke(tenant, made.getName());
    assertThat(reason(made.getJoinToken(), "gpu-2")).isEqualTo("JOIN_TOKEN_REJECTED");
    assertThat(enroll(made.getJoinToken(), "gpu-1", request)).isEqualTo(joined);
    exchange(joined.getNodeKey());
    assertThat(list(tenant, 10, "").getJoinTokensList()).isEmpty();
    assertThat(
            POSTGRES
                .database()
                .jooq()
                .fetch("select target from audit_log where action = 'RevokeJoinToken'")
                .getValues("target", String.class))
        .containsOnlyOnce(made.getName().substring(made.getName().indexOf("joinTokens/")));
  }

  @Test
  void anAdminRevokesNoTokenOfAnotherTenant() {
    String own = tenantWithPool();
    String other = tenantWithPool();
    String name = create(POLICY.admin(other), other, "onprem", 1, 0).getName();
    String claimed = name.replace("tenants/" + other, "tenants/" + own);
    assertThat(PolicyFixture.refusal(() -> revoke(own, claimed)).reason())
        .isEqualTo("JOIN_TOKEN_NOT_FOUND");
    assertThat(list(other, 10, "").getJoinTokensList()).hasSize(1);
  }

  @Test
  void anAdminCannotInviteMachinesIntoAnotherTenant() {
    String own = tenantWithPool();
    String other = tenantWithPool();
    Refusal refusal =
        PolicyFixture.refusal(() -> create(POLICY.admin(own), other, "onprem", 1, 60));
    assertThat(refusal.reason()).isEqualTo("TENANT_NOT_FOUND");
  }

  @Test
  void aRemovedTenantsMachinesAreStrangers() {
    String tenant = tenantWithPool();
    String key = enroll(joinToken(tenant, 1), "gpu-1").getNodeKey();
    String token = joinToken(tenant, 1);
    TenantServiceGrpc.newBlockingStub(POLICY.operator())
        .deleteTenant(DeleteTenantRequest.newBuilder().setName("tenants/" + tenant).build());
    assertThat(PolicyFixture.refusal(() -> exchange(key)).reason()).isEqualTo("KEY_REJECTED");
    assertThat(reason(token, "gpu-2")).isEqualTo("JOIN_TOKEN_REJECTED");
  }

  @Test
  void anAdminSeesTheKeysOfItsMachines() {
    String tenant = tenantWithPool();
    enroll(joinToken(tenant, 1), "gpu-1");
    List<String> owners =
        TokenServiceGrpc.newBlockingStub(POLICY.admin(tenant))
            .listKeys(ListKeysRequest.getDefaultInstance())
            .getKeysList()
            .stream()
            .map(Key::getOwner)
            .toList();
    assertThat(owners)
        .containsExactlyInAnyOrder(
            "tenants/" + tenant + "/users/admin",
            "tenants/" + tenant + "/nodes/gpu-1",
            "tenants/" + tenant + "/users/admin");
  }

  private static String tenantWithPool() {
    String tenant = POLICY.tenant();
    POLICY
        .pools()
        .provision(
            tenant,
            ResourceConfiguration.newBuilder()
                .setTenant(tenant)
                .addPools(FakePools.pool(tenant, "onprem", "16"))
                .build());
    return tenant;
  }

  private static String joinToken(String tenant, int uses) {
    return create(POLICY.admin(tenant), tenant, "onprem", uses, 0).getJoinToken();
  }

  private static CreateJoinTokenResponse create(
      Channel caller, String tenant, String pool, int uses, long seconds) {
    CreateJoinTokenRequest.Builder request =
        CreateJoinTokenRequest.newBuilder()
            .setParent("tenants/" + tenant)
            .setPool(pool)
            .setUses(uses);
    if (seconds > 0) {
      request.setTimeToLive(com.google.protobuf.Duration.newBuilder().setSeconds(seconds));
    }
    return TokenServiceGrpc.newBlockingStub(caller).createJoinToken(request.build());
  }

  private static ListJoinTokensResponse list(String tenant, int size, String page) {
    return TokenServiceGrpc.newBlockingStub(POLICY.admin(tenant))
        .listJoinTokens(
            ListJoinTokensRequest.newBuilder()
                .setParent("tenants/" + tenant)
                .setPageSize(size)
                .setPageToken(page)
                .build());
  }

  private static void revoke(String tenant, String name) {
    TokenServiceGrpc.newBlockingStub(POLICY.admin(tenant))
        .revokeJoinToken(RevokeJoinTokenRequest.newBuilder().setName(name).build());
  }

  private static EnrollNodeResponse enroll(String token, String node) {
    return enroll(token, node, "");
  }

  private static EnrollNodeResponse enroll(String token, String node, String request) {
    return TokenServiceGrpc.newBlockingStub(POLICY.anonymous())
        .enrollNode(MACHINE.enrolment(token, node, request));
  }

  private static String exchange(String nodeKey) {
    return TokenServiceGrpc.newBlockingStub(POLICY.anonymous())
        .exchangeKey(MACHINE.exchange(nodeKey))
        .getToken();
  }

  private static List<Key> nodeKeys(String tenant, boolean showRevoked) {
    return TokenServiceGrpc.newBlockingStub(POLICY.admin(tenant))
        .listKeys(ListKeysRequest.newBuilder().setShowRevoked(showRevoked).build())
        .getKeysList()
        .stream()
        .filter(key -> key.getOwner().contains("/nodes/"))
        .toList();
  }

  private static String reason(String token, String node) {
    return PolicyFixture.refusal(() -> enroll(token, node)).reason();
  }
}
