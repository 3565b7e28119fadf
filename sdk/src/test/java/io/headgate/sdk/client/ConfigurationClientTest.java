package io.headgate.sdk.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.headgate.proto.policy.v1.Queue;
import io.headgate.proto.policy.v1.ReplaceAccessConfigurationRequest;
import io.headgate.sdk.config.Configuration;
import io.headgate.sdk.config.ConfigurationDiff.Change;
import io.headgate.sdk.config.ConfigurationReader;
import io.headgate.sdk.config.ConfigurationWriter;
import io.headgate.sdk.gate.TestGate;
import io.headgate.sdk.model.ConfigurationState.Versions;
import io.headgate.sdk.model.HeadgateException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ConfigurationClientTest {
  private final TestGate gate = TestGate.open();
  private final HeadgateClient client = HeadgateClient.connect(gate.config());
  private final ConfigurationClient configuration = client.configuration("acme");
  private Configuration acme;

  @BeforeEach
  void readExample() throws Exception {
    try (InputStream in = getClass().getResourceAsStream("/config/acme.yaml")) {
      String text = new String(in.readAllBytes(), StandardCharsets.UTF_8);
      acme = ConfigurationReader.read("acme.yaml", text).configuration();
    }
  }

  @AfterEach
  void close() {
    client.close();
    gate.close();
  }

  @Test
  void preparesSupplyAndDecidesBothWithRights() {
    Versions versions = configuration.apply(acme);

    assertThat(versions).hasToString("13.8");
    assertThat(gate.calls)
        .extracting(TestGate.Call::method)
        .containsSubsequence(
            "ReplaceDraft",
            "ReplaceAccessConfiguration",
            "PrepareChange",
            "ReplaceAccessConfiguration");
    assertThat(gate.rights.replacements)
        .extracting(ReplaceAccessConfigurationRequest::getValidateOnly)
        .containsExactly(true, false);
    assertThat(gate.rights.replacements.getFirst().getResourceConfiguration().getProfilesList())
        .as("rights are checked against profiles that are stored nowhere")
        .hasSameSizeAs(acme.profiles());
  }

  @Test
  void applyAfterExportChangesNothing() throws Exception {
    configuration.apply(acme);
    String exported = ConfigurationWriter.write(configuration.read().configuration());
    int calls = gate.calls.size();

    Configuration again = ConfigurationReader.read("exported.yaml", exported).configuration();
    Plan plan = configuration.plan(again);
    assertThat(plan.diff().changes()).isEmpty();
    assertThat(plan.apply()).isEqualTo(plan.base());

    assertThat(gate.calls.subList(calls, gate.calls.size()))
        .extracting(TestGate.Call::method)
        .containsExactly("GetResourceConfiguration", "GetAccessConfiguration");
  }

  @Test
  void anExportedFileSurvivesAnotherExport() throws Exception {
    configuration.apply(acme);
    String first = ConfigurationWriter.write(configuration.read().configuration());
    configuration.apply(ConfigurationReader.read("a.yaml", first).configuration());

    assertThat(ConfigurationWriter.write(configuration.read().configuration())).isEqualTo(first);
  }

  @Test
  void departmentsBudgetsAndOptionsOfSharingSurviveAnExport() throws Exception {
    Configuration shared =
        ConfigurationReader.read(
                "shared.yaml",
                """
                apiVersion: headgate/v1
                kind: Configuration
                tenant: acme
                budget: {cost: 12000.50, currency: EUR, per: year, warnAt: 50, whenSpent: stop}
                groups: [{name: g, users: [ada]}]
                pools:
                  - {name: p, promoteAfter: 24h, consolidate: true, fairness: {halfLife: 168h}}
                profiles: [{name: one, gpus: 1, pools: [p], reclaim: fair}]
                departments:
                  - {name: below, department: top, limit: 3, budget: {gpuHours: 1, per: day}}
                  - {name: top, reservation: 1/2, weight: 7}
                policies:
                  - name: a
                    group: g
                    department: below
                    limit: 2
                    preemptAfter: 90s
                    grace: {callback: 60s}
                    budget: {gpuHours: 0.5, per: week, whenSpent: yield}
                    queues: [{name: q, profile: one}]
                """)
            .configuration();
    configuration.apply(shared);
    String exported = ConfigurationWriter.write(configuration.read().configuration());
    Configuration again = ConfigurationReader.read("exported.yaml", exported).configuration();
    assertThat(again).isEqualTo(shared);
    assertThat(configuration.plan(shared).diff().changes()).isEmpty();
  }

  @Test
  void aPlanStoresNothing() {
    Plan plan = configuration.plan(acme);

    assertThat(plan.diff().count(Change.Action.ADDED)).isEqualTo(10);
    assertThat(gate.supply.draft).isNull();
    assertThat(gate.calls)
        .extracting(TestGate.Call::method)
        .doesNotContain("DiscardDraft", "ProvisionDraft");
  }

  @Test
  void aRefusedPlanKeepsTheDraftOfAnotherClient() {
    var draft = draftOfAnotherClient();
    gate.failNext(
        "ReplaceAccessConfiguration",
        TestGate.refusal(Status.Code.INVALID_ARGUMENT, "PROFILE_ABOVE_LIMIT", "too big"));

    assertThat(refusal(() -> configuration.apply(withoutPools(acme))).reason())
        .isEqualTo("PROFILE_ABOVE_LIMIT");
    assertThat(gate.supply.draft).isSameAs(draft);
  }

  @Test
  void losesNoDraftOfOthersUnlessTheyAreNamed() {
    var draft = draftOfAnotherClient();
    Plan plan = configuration.plan(withoutPools(acme));

    assertThat(refusal(plan::apply).reason()).isEqualTo("DRAFT_OF_OTHERS");
    assertThat(gate.supply.draft).isSameAs(draft);
    assertThat(gate.supply.prepared).isNull();
    assertThat(plan.apply(List.of(draft.getUpdatedBy()))).hasToString("14.9");
  }

  private io.headgate.proto.pool.v1.ResourceConfiguration draftOfAnotherClient() {
    configuration.apply(acme);
    var draft =
        gate.supply.provisioned.toBuilder()
            .setPools(0, gate.supply.provisioned.getPools(0).toBuilder().setDescription("mine"))
            .setUpdatedBy("tenants/acme/users/bob")
            .build();
    gate.supply.draft = draft;
    return draft;
  }

  @Test
  void aPlanThatIsOutOfDateChangesNothing() {
    Plan plan = configuration.plan(acme);
    gate.rights.inForce = gate.rights.inForce.toBuilder().setVersion(8).build();

    assertThat(refusal(plan::apply).reason()).isEqualTo("VERSION_CHANGED");
    assertThat(gate.supply.provisioned.getVersion()).isEqualTo(12);
    assertThat(gate.supply.draft).isNull();
  }

  @Test
  void nothingTakesEffectWhenAnotherClientIsFasterInBetween() {
    gate.rights.overtakeNextChange = true;

    assertThat(refusal(() -> configuration.apply(acme)).reason()).isEqualTo("VERSION_CHANGED");
    assertThat(gate.supply.provisioned.getVersion()).isEqualTo(12);
    assertThat(gate.supply.prepared).isNull();
    assertThat(configuration.apply(acme)).hasToString("13.9");
  }

  @Test
  void findsOutThatAChangeTookEffectWhoseAnswerWasLost() {
    gate.rights.loseNextAnswer = TestGate.refusal(Status.Code.INTERNAL, "INTERNAL", "lost");

    assertThat(configuration.apply(acme)).hasToString("13.8");
  }

  @Test
  void doesNotSayThatNothingTookEffectWhenItCannotKnow() {
    Plan plan = configuration.plan(acme);
    StatusRuntimeException broken = TestGate.refusal(Status.Code.INTERNAL, "INTERNAL", "lost");
    gate.failNext("ReplaceAccessConfiguration", broken);
    gate.failNext("GetAccessConfiguration", broken);

    HeadgateException unknown = refusal(plan::apply);
    assertThat(unknown.reason()).isEqualTo(Plan.OUTCOME_UNKNOWN);
    assertThat(unknown).hasMessage("it is not known whether the change took effect: lost");
  }

  @Test
  void findsOutThatAChangeTookEffectWhoseRepetitionIsRefused() {
    gate.rights.loseNextAnswer =
        TestGate.refusal(Status.Code.PERMISSION_DENIED, "ROLE_DENIED", "no more");

    assertThat(configuration.apply(acme)).hasToString("13.8");
  }

  @Test
  void saysThatNothingTookEffectAfterARefusalOfTheOnlyTry() {
    Plan plan = configuration.plan(acme);
    gate.failNext(
        "ReplaceAccessConfiguration",
        TestGate.refusal(Status.Code.PERMISSION_DENIED, "ROLE_DENIED", "no more"));

    assertThat(refusal(plan::apply).reason()).isEqualTo("ROLE_DENIED");
  }

  @Test
  void aCommittedChangeIsInForceBeforePoolServiceFollows() {
    gate.rights.loseNextAnswer = TestGate.refusal(Status.Code.INTERNAL, "INTERNAL", "lost");
    gate.rights.settlesLater = true;

    assertThat(configuration.apply(acme)).hasToString("13.8");
    assertThat(gate.supply.provisioned.getVersion()).isEqualTo(12);
  }

  private static HeadgateException refusal(ThrowingCallable call) {
    return catchThrowableOfType(HeadgateException.class, call);
  }

  @Test
  void aPauseOutlivesAnApply() {
    configuration.apply(acme);
    Queue paused = gate.rights.inForce.getQueues(0).toBuilder().setPaused(true).build();
    gate.rights.inForce = gate.rights.inForce.toBuilder().setQueues(0, paused).build();

    configuration.apply(withoutPools(acme));

    assertThat(gate.rights.inForce.getQueues(0).getPaused()).isTrue();
  }

  /// A change of supply and rights at the same time.
  private static Configuration withoutPools(Configuration from) {
    return new Configuration(
        from.tenant(),
        from.groups(),
        from.pools().subList(0, 1),
        from.profiles(),
        from.policies().stream()
            .map(policy ->
                new io.headgate.sdk.config.Policy(
                    policy.name(),
                    policy.group(),
                    policy.department(),
                    policy.reservation(),
                    policy.limit(),
                    policy.weight() + 1,
                    policy.perUserLimit(),
                    policy.exceedLimit(),
                    policy.onPreempt(),
                    policy.minRuntime(),
                    policy.preemptible(),
                    policy.preemptWithin(),
                    policy.stopAfter(),
                    policy.preemptAfter(),
                    policy.grace(),
                    policy.budget(),
                    policy.description(),
                    policy.queues(),
                    policy.tenant()))
            .toList());
  }
}
