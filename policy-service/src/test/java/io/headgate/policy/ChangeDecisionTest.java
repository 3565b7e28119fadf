package io.headgate.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.grpc.Channel;
import io.grpc.Status.Code;
import io.headgate.kit.failure.Refusal;
import io.headgate.kit.grpc.ProtoTimes;
import io.headgate.kit.testing.PostgresFixture;
import io.headgate.proto.policy.v1.AccessConfiguration;
import io.headgate.proto.policy.v1.AccessConfigurationServiceGrpc;
import io.headgate.proto.policy.v1.CreateJoinTokenRequest;
import io.headgate.proto.policy.v1.CreateJoinTokenResponse;
import io.headgate.proto.policy.v1.CreateUserRequest;
import io.headgate.proto.policy.v1.ReplaceAccessConfigurationRequest;
import io.headgate.proto.policy.v1.ReplaceAccessConfigurationResponse;
import io.headgate.proto.policy.v1.TokenServiceGrpc;
import io.headgate.proto.policy.v1.User;
import io.headgate.proto.policy.v1.UserServiceGrpc;
import io.headgate.proto.pool.v1.PreparedChange;
import io.headgate.proto.pool.v1.ResourceConfiguration;
import io.headgate.proto.pool.v1.SettleChangeRequest.Outcome;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jooq.impl.DSL;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Decisions on changes of supply and rights.
class ChangeDecisionTest {
  @Order(1)
  @RegisterExtension
  static final PostgresFixture POSTGRES = PostgresFixture.of("policy");

  @Order(2)
  @RegisterExtension
  static final PolicyFixture POLICY = PolicyFixture.of(POSTGRES);

  private static final Duration PATIENCE = Duration.ofSeconds(15);
  private static final AtomicInteger CHANGES = new AtomicInteger();

  private final Acme acme = Acme.found(POLICY);
  private final String change = "c" + CHANGES.incrementAndGet();

  @Test
  void decidesForBothServices() {
    prepare(withoutThree());
    AccessConfiguration.Builder rights = acme.twoTeams();
    rights.getQueuesBuilderList().forEach(queue -> queue.setProfile("half"));
    ReplaceAccessConfigurationResponse answer = commit(rights, 0);

    assertThat(answer.getResourceVersion()).isEqualTo(2);
    AccessConfiguration inForce = answer.getConfiguration();
    assertThat(inForce.getVersion()).isEqualTo(1);
    assertThat(inForce.getJointChange().getId()).isEqualTo(change);
    assertThat(inForce.getJointChange().getResourceVersion()).isEqualTo(2);
    assertThat(inForce.getJointChange().getAccessVersion()).isEqualTo(1);
    assertThat(outcome()).isEqualTo(Outcome.OUTCOME_COMMITTED);
    assertThat(POLICY.pools().settled().get(change).getAccessVersion()).isEqualTo(1);
  }

  @Test
  void aChangeOfSupplyAloneIsAVersionOfRightsToo() {
    acme.replace(acme.twoTeams());
    prepare(acme.resources().toBuilder().setVersion(2).build());
    ReplaceAccessConfigurationResponse answer = commit(acme.twoTeams(), 1);

    assertThat(answer.getConfiguration().getVersion()).as("the watch tells of it").isEqualTo(2);
    assertThat(answer.getConfiguration().getJointChange().getResourceVersion()).isEqualTo(2);
    assertThat(answer.getConfiguration().getJointChange().getAccessVersion()).isEqualTo(2);
  }

  @Test
  void aChangeOfRightsAloneNamesNoSupply() {
    POLICY.pools().prepare(prepared().setVersion(1).build());
    ReplaceAccessConfigurationResponse answer = commit(acme.twoTeams(), 0);

    assertThat(answer.getResourceVersion()).isEqualTo(1);
    assertThat(answer.getConfiguration().hasJointChange()).isFalse();
    assertThat(outcome()).isEqualTo(Outcome.OUTCOME_COMMITTED);
  }

  @Test
  void aChangeMustBePrepared() {
    Refusal refusal = PolicyFixture.refusal(() -> commit(acme.twoTeams(), 0));
    assertThat(refusal.code()).isEqualTo(Code.FAILED_PRECONDITION);
    assertThat(refusal.reason()).isEqualTo("CHANGE_NOT_PREPARED");
  }

  @Test
  void aCheckDecidesNothing() {
    prepare(withoutThree());
    Refusal refusal =
        PolicyFixture.refusal(
            () -> acme.replace(request(acme.twoTeams(), 0).setValidateOnly(true)));
    assertThat(refusal.reason()).isEqualTo("CONTRADICTION");
    assertThat(POLICY.pools().settled()).doesNotContainKey(change);
  }

  @Test
  void aRefusedChangeIsOver() {
    acme.replace(acme.twoTeams());
    prepare(withoutThree());
    assertThat(PolicyFixture.refusal(() -> commit(acme.twoTeams(), 7)).reason())
        .isEqualTo("VERSION_CHANGED");
    assertThat(outcome()).isEqualTo(Outcome.OUTCOME_ABANDONED);

    prepare(withoutThree());
    assertThat(PolicyFixture.refusal(() -> commit(acme.twoTeams(), 1)).reason())
        .isEqualTo("CHANGE_ABANDONED");
  }

  @Test
  void aChangeBelongsToTheCallerThatPreparedIt() {
    prepare(acme.resources().toBuilder().setVersion(2).build());
    Channel bob = anotherAdmin();
    Refusal refusal =
        PolicyFixture.refusal(
            () -> replacing(bob).replaceAccessConfiguration(request(acme.twoTeams(), 7).build()));
    assertThat(refusal.code()).isEqualTo(Code.PERMISSION_DENIED);
    assertThat(refusal.reason()).isEqualTo("CHANGE_OF_ANOTHER");
    assertThat(POLICY.pools().settled()).as("it is not ended").doesNotContainKey(change);

    assertThat(commit(acme.twoTeams(), 0).getConfiguration().getVersion()).isEqualTo(1);
    assertThat(
            PolicyFixture.refusal(() ->
                    replacing(bob).replaceAccessConfiguration(request(acme.twoTeams(), 0).build()))
                .reason())
        .isEqualTo("CHANGE_NOT_PREPARED");
  }

  @Test
  void aRepeatedCommitGetsItsFirstAnswer() {
    prepare(acme.resources().toBuilder().setVersion(2).build());
    ReplaceAccessConfigurationResponse first = commit(acme.twoTeams(), 0);
    acme.group("later");

    assertThat(commit(acme.twoTeams(), 0)).isEqualTo(first);
    assertThat(PolicyFixture.refusal(() -> commit(acme.twoTeams().clearQueues(), 0)).reason())
        .isEqualTo("REQUEST_ID_REUSED");
  }

  @Test
  void aRetryThatTheFirstTryOvertakesGetsItsAnswer() {
    prepare(acme.resources().toBuilder().setVersion(2).build());
    AtomicReference<ReplaceAccessConfigurationResponse> first = new AtomicReference<>();
    POLICY.pools().beforeNextList(() -> first.set(commit(acme.twoTeams(), 0)));

    assertThat(commit(acme.twoTeams(), 0)).isEqualTo(first.get());
  }

  @Test
  void rightsAreNotCheckedAgainstSupplyThatADecidedChangeReplaces() {
    acme.replace(acme.twoTeams().clearQueues());
    prepare(withoutThree());
    POLICY.pools().settles(acme.id(), false);
    commit(acme.twoTeams().clearQueues(), 1);

    assertThat(PolicyFixture.refusal(() -> acme.queue("q", "rnd", "three")).reason())
        .isEqualTo("CHANGE_IN_PROGRESS");
    assertThat(PolicyFixture.refusal(() -> acme.replace(acme.twoTeams())).reason())
        .isEqualTo("CHANGE_IN_PROGRESS");
    POLICY.pools().settles(acme.id(), true);
    assertThat(PolicyFixture.refusal(() -> acme.queue("q", "rnd", "three")).reason())
        .isEqualTo("PROFILE_NOT_FOUND");
  }

  @Test
  void aJoinTokenWaitsForThePoolOfADecidedChange() throws Exception {
    POLICY.pools().settles(acme.id(), false);
    ResourceConfiguration.Builder wider = acme.resources().toBuilder().setVersion(2);
    prepare(wider.addPools(FakePools.pool(acme.id(), "fresh", "")).build());
    commit(acme.twoTeams(), 0);

    assertThat(PolicyFixture.refusal(() -> joinToken("fresh")).reason())
        .as("pool-service hears of nothing for long")
        .isEqualTo("CHANGE_IN_PROGRESS");
    int unheard = POLICY.pools().unheard();
    try (var caller = Executors.newVirtualThreadPerTaskExecutor()) {
      Future<CreateJoinTokenResponse> token = caller.submit(() -> joinToken("fresh"));
      await().atMost(PATIENCE).until(() -> POLICY.pools().unheard() > unheard);
      POLICY.pools().settles(acme.id(), true);
      assertThat(token.get().getJoinToken()).isNotEmpty();
    }
  }

  private CreateJoinTokenResponse joinToken(String pool) {
    return TokenServiceGrpc.newBlockingStub(acme.admin())
        .createJoinToken(
            CreateJoinTokenRequest.newBuilder().setParent(acme.parent()).setPool(pool).build());
  }

  @ParameterizedTest
  @ValueSource(longs = {-3600, 0, 3600})
  void anUndecidedChangeIsAbandonedWhateverTheClockOfItsService(long aheadSeconds) {
    Instant preparedAt = POLICY.clock().instant().plusSeconds(aheadSeconds);
    POLICY
        .pools()
        .prepare(
            prepared()
                .setConfiguration(withoutThree())
                .setVersion(2)
                .setPrepareTime(ProtoTimes.toProto(preparedAt))
                .build());
    awaitLooks();
    assertThat(POLICY.pools().settled()).as("it may still be decided").doesNotContainKey(change);

    POLICY.clock().advance(PATIENCE);
    await()
        .atMost(PATIENCE.multipliedBy(2))
        .until(() -> POLICY.pools().settled().containsKey(change));
    assertThat(outcome()).isEqualTo(Outcome.OUTCOME_ABANDONED);
  }

  @Test
  void aDecisionThatCannotBeCarriedOutHoldsUpNoOther() {
    Acme beta = Acme.found(POLICY);
    POLICY.pools().settles(acme.id(), false);
    POLICY.pools().settles(beta.id(), false);
    prepare(withoutThree());
    commit(acme.twoTeams().clearQueues(), 0);
    String second = "second-" + change;
    POLICY
        .pools()
        .prepare(
            prepared()
                .setTenant(beta.id())
                .setChangeId(second)
                .setPreparedBy(beta.parent() + "/users/admin")
                .setVersion(1)
                .build());
    beta.replace(
        ReplaceAccessConfigurationRequest.newBuilder()
            .setConfiguration(beta.twoTeams())
            .setChangeId(second));

    POLICY.pools().settles(beta.id(), true);
    await()
        .atMost(PATIENCE.multipliedBy(2))
        .until(() -> POLICY.pools().settled().containsKey(second));
    assertThat(POLICY.pools().settled()).doesNotContainKey(change);
    POLICY.pools().settles(acme.id(), true);
    await()
        .atMost(PATIENCE.multipliedBy(2))
        .until(() -> POLICY.pools().settled().containsKey(change));
  }

  @Test
  void settledDecisionsAreForgotten() {
    prepare(withoutThree());
    commit(acme.twoTeams().clearQueues(), 0);
    assertThat(decisions()).isEqualTo(1);
    POLICY.clock().advance(Duration.ofHours(2));
    await().atMost(PATIENCE).until(() -> decisions() == 0);
  }

  private int decisions() {
    return POSTGRES
        .database()
        .jooq()
        .fetchCount(DSL.table("changes"), DSL.field("change_id", String.class).eq(change));
  }

  /// Until the loop has seen what is prepared now.
  private static void awaitLooks() {
    int before = POLICY.pools().looks();
    await().atMost(PATIENCE.multipliedBy(2)).until(() -> POLICY.pools().looks() >= before + 2);
  }

  private Outcome outcome() {
    return POLICY.pools().settled().get(change).getOutcome();
  }

  private ResourceConfiguration withoutThree() {
    return acme.resources().toBuilder().setVersion(2).removeProfiles(0).build();
  }

  /// As the admin who commits it.
  private void prepare(ResourceConfiguration configuration) {
    POLICY.pools().prepare(prepared().setVersion(2).setConfiguration(configuration).build());
  }

  private PreparedChange.Builder prepared() {
    return PreparedChange.newBuilder()
        .setTenant(acme.id())
        .setChangeId(change)
        .setBaseVersion(1)
        .setPrepareTime(ProtoTimes.toProto(POLICY.clock().instant()))
        .setPreparedBy(acme.parent() + "/users/admin");
  }

  private ReplaceAccessConfigurationResponse commit(
      AccessConfiguration.Builder rights, long ifVersion) {
    return acme.replace(request(rights, ifVersion));
  }

  private ReplaceAccessConfigurationRequest.Builder request(
      AccessConfiguration.Builder rights, long ifVersion) {
    return ReplaceAccessConfigurationRequest.newBuilder()
        .setParent(acme.parent())
        .setConfiguration(rights)
        .setChangeId(change)
        .setIfVersion(ifVersion);
  }

  private Channel anotherAdmin() {
    UserServiceGrpc.newBlockingStub(acme.admin())
        .createUser(
            CreateUserRequest.newBuilder()
                .setParent(acme.parent())
                .setUserId("bob")
                .setUser(User.newBuilder().setAdmin(true))
                .build());
    return POLICY.as(acme.parent() + "/users/bob");
  }

  private static AccessConfigurationServiceGrpc.AccessConfigurationServiceBlockingStub replacing(
      Channel channel) {
    return AccessConfigurationServiceGrpc.newBlockingStub(channel);
  }
}
