package io.headgate.pool;

import static io.headgate.pool.Client.configuration;
import static io.headgate.pool.Client.pool;
import static io.headgate.pool.Client.profile;
import static io.headgate.pool.Client.refused;
import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.Status;
import io.headgate.kit.auth.Principal;
import io.headgate.kit.auth.Role;
import io.headgate.kit.failure.Refusal;
import io.headgate.kit.testing.ApiServerExtension;
import io.headgate.kit.testing.PostgresFixture;
import io.headgate.proto.pool.v1.CreatePoolRequest;
import io.headgate.proto.pool.v1.DiscardDraftRequest;
import io.headgate.proto.pool.v1.DraftEditor;
import io.headgate.proto.pool.v1.GetDraftRequest;
import io.headgate.proto.pool.v1.GetResourceConfigurationRequest;
import io.headgate.proto.pool.v1.ListPreparedChangesRequest;
import io.headgate.proto.pool.v1.Pool;
import io.headgate.proto.pool.v1.PrepareChangeRequest;
import io.headgate.proto.pool.v1.PreparedChange;
import io.headgate.proto.pool.v1.ProvisionDraftRequest;
import io.headgate.proto.pool.v1.ReplaceDraftRequest;
import io.headgate.proto.pool.v1.ResourceConfiguration;
import io.headgate.proto.pool.v1.SettleChangeRequest;
import io.headgate.proto.pool.v1.SettleChangeRequest.Outcome;
import io.headgate.proto.pool.v1.Warning;
import java.util.List;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/// The supply's half of a change of supply and rights, and the drafts of other admins beside it.
class JointChangeTest {
  @Order(1)
  @RegisterExtension
  static final PostgresFixture POSTGRES = PostgresFixture.of("pool");

  @Order(2)
  @RegisterExtension
  static final PoolFixture POOL = PoolFixture.on(POSTGRES);

  @Order(3)
  @RegisterExtension
  static final ApiServerExtension SERVER = new ApiServerExtension(POOL::register);

  private final String tenant = Client.newTenant();
  private final String parent = "tenants/" + tenant;
  private final Client ada = admin("ada");
  private final Client bob = admin("bob");
  private final Client decider = new Client(SERVER.channel(SERVER.tokens().service("policy")));

  private Client admin(String user) {
    return new Client(
        SERVER.channel(
            SERVER
                .tokens()
                .token(
                    Principal.ofTenant(
                        parent + "/users/" + user, Role.TENANT_ADMIN, tenant, List.of()))));
  }

  @Test
  void isNotInForceUntilItIsSettled() {
    PreparedChange prepared = prepare("c", 0, supply("a"));
    assertThat(prepared.getBaseVersion()).isZero();
    assertThat(prepared.getVersion()).isEqualTo(1);
    assertThat(prepared.getPreparedBy()).isEqualTo(parent + "/users/ada");
    assertThat(inForce().getVersion()).isZero();
    assertThat(pending()).containsExactly(prepared);

    settle("c", Outcome.OUTCOME_COMMITTED, 4);
    ResourceConfiguration inForce = inForce();
    assertThat(inForce.getVersion()).isEqualTo(1);
    assertThat(inForce.getUpdatedBy()).isEqualTo(parent + "/users/ada");
    assertThat(inForce.getJointChange().getId()).isEqualTo("c");
    assertThat(inForce.getJointChange().getResourceVersion()).isEqualTo(1);
    assertThat(inForce.getJointChange().getAccessVersion()).isEqualTo(4);
    assertThat(pending()).isEmpty();

    settle("c", Outcome.OUTCOME_COMMITTED, 4);
    settle("c", Outcome.OUTCOME_ABANDONED, 0);
    assertThat(inForce()).as("a decision is never taken back").isEqualTo(inForce);
  }

  @Test
  void anAbandonedChangeLeavesNothing() {
    prepare("c", 0, supply("a"));
    settle("c", Outcome.OUTCOME_ABANDONED, 0);
    assertThat(inForce().getVersion()).isZero();
    assertThat(pending()).isEmpty();
    prepare("d", 0, supply("b"));
    settle("d", Outcome.OUTCOME_COMMITTED, 1);
    assertThat(inForce().getPoolsList()).hasSize(1);
  }

  @Test
  void aRepeatedPreparationFindsItsChangeAndALateOneIsRefused() {
    PreparedChange prepared = prepare("c", 0, supply("a"));
    assertThat(prepare("c", 0, supply("a"))).isEqualTo(prepared);
    settle("c", Outcome.OUTCOME_COMMITTED, 1);

    assertThat(refused(() -> prepare("c", 0, supply("a"))).reason()).isEqualTo("VERSION_CHANGED");
    assertThat(pending()).isEmpty();
  }

  @Test
  void onlyTheSameRequestOfTheSameCallerIsARepetition() {
    PreparedChange prepared = prepare("c", 0, supply("a"));
    Refusal other =
        refused(() -> bob.configurations.prepareChange(change("c", 0, supply("a")).build()));
    assertThat(other.reason()).isEqualTo("CHANGE_IN_PROGRESS");
    assertThat(other.message()).startsWith(parent + "/users/ada is applying");
    assertThat(refused(() -> prepare("c", 0, supply("b"))).reason()).isEqualTo("CHANGE_ID_REUSED");
    assertThat(refused(() -> prepare("c", 1, supply("a"))).reason()).isEqualTo("CHANGE_ID_REUSED");
    assertThat(refused(() -> prepare("c", 0, null)).reason()).isEqualTo("CHANGE_ID_REUSED");
    assertThat(pending()).containsExactly(prepared);
  }

  @Test
  void aRepeatedPreparationMayNameTheSupplyInForce() {
    ada.apply(tenant, supply("a"));
    PreparedChange prepared = prepare("c", 1, supply("a"));
    assertThat(prepared.getVersion()).isEqualTo(1);
    assertThat(prepare("c", 1, supply("a"))).isEqualTo(prepared);
  }

  @Test
  void whileItIsPreparedTheVersionStays() {
    ada.apply(tenant, supply("a"));
    bob.replaceDraft(tenant, supply("b"));
    prepare("c", 1, null);

    Refusal busy = refused(() -> bob.provision(tenant));
    assertThat(busy.reason()).isEqualTo("CHANGE_IN_PROGRESS");
    assertThat(busy.message()).startsWith(parent + "/users/ada is applying a change since 20");
    assertThat(refused(() -> prepare("d", 1, supply("d"))).reason())
        .isEqualTo("CHANGE_IN_PROGRESS");
    settle("c", Outcome.OUTCOME_COMMITTED, 1);
    assertThat(inForce().getVersion()).as("only rights changed").isEqualTo(1);
    assertThat(bob.provision(tenant).getVersion()).isEqualTo(2);
  }

  @Test
  void isRefusedForAnotherVersionThanTheOneInForce() {
    ada.apply(tenant, supply("a"));
    assertThat(refused(() -> prepare("c", 0, supply("b"))).reason()).isEqualTo("VERSION_CHANGED");
    assertThat(refused(() -> prepare("c", 2, null)).reason()).isEqualTo("VERSION_CHANGED");
  }

  @Test
  void onlyPolicyServiceSettlesAChange() {
    prepare("c", 0, supply("a"));
    Client scheduler = new Client(SERVER.channel(SERVER.tokens().service("scheduler")));

    Refusal refusal = refused(() -> scheduler.configurations.settleChange(settlement("c", 1)));
    assertThat(refusal.code()).isEqualTo(Status.Code.PERMISSION_DENIED);
    assertThat(refusal.reason()).isEqualTo("NOT_THE_DECIDER");
    assertThat(refused(() -> ada.configurations.settleChange(settlement("c", 1))).reason())
        .isEqualTo("ROLE_DENIED");
    assertThat(pending()).hasSize(1);
  }

  @Test
  void losesNoDraftOfAnotherAdmin() {
    ada.apply(tenant, supply("a"));
    bob.pools.createPool(
        CreatePoolRequest.newBuilder()
            .setParent(parent)
            .setPoolId("bobs")
            .setPool(Pool.newBuilder().setType(Pool.Type.TYPE_STATIC))
            .build());

    Refusal refusal = refused(() -> prepare("c", 1, supply("c")));
    assertThat(refusal.reason()).isEqualTo("DRAFT_OF_OTHERS");
    DraftEditor edit = draft().getDraftEditors(0);
    assertThat(edit.getSubject()).isEqualTo(parent + "/users/bob");
    assertThat(refusal.message()).contains(parent + "/users/bob at 20", "discard_drafts_of");
    assertThat(refusal.metadata()).containsEntry("editors", parent + "/users/bob");

    assertThat(
            ada.configurations
                .replaceDraft(
                    ReplaceDraftRequest.newBuilder()
                        .setParent(parent)
                        .setConfiguration(supply("c"))
                        .setValidateOnly(true)
                        .build())
                .getWarningsList())
        .as("a plan says so before")
        .extracting(Warning::getReason)
        .contains("DRAFT_OF_OTHERS");
    ada.configurations.prepareChange(
        change("c", 1, supply("c")).addDiscardDraftsOf(parent + "/users/bob").build());
    assertThat(draft().getPoolsList()).as("until the commit").hasSize(2);
    settle("c", Outcome.OUTCOME_COMMITTED, 1);
    assertThat(draft().getVersion()).isEqualTo(2);
    assertThat(draft().getDraftEditorsList()).isEmpty();
  }

  @Test
  void namesOfEditorsAreNotCut() {
    for (int i = 0; i < 20; i++) {
      Client other = admin("an-admin-with-a-long-name-" + i);
      String etag = i == 0 ? "" : draft().getEtag();
      other.configurations.replaceDraft(
          ReplaceDraftRequest.newBuilder()
              .setParent(parent)
              .setConfiguration(supply("p" + i).toBuilder().setEtag(etag))
              .build());
    }
    Refusal refusal = refused(() -> prepare("c", 0, supply("c")));
    assertThat(refusal.metadata().get("editors").split(",", -1))
        .hasSizeGreaterThan(1)
        .allMatch(name -> name.matches(parent + "/users/an-admin-with-a-long-name-[0-9]+"))
        .contains(parent + "/users/an-admin-with-a-long-name-19");
  }

  @Test
  void keepsADraftThatWasEditedSinceThePreparation() {
    ada.apply(tenant, supply("a"));
    prepare("c", 1, supply("c"));
    bob.replaceDraft(tenant, supply("bobs"));
    settle("c", Outcome.OUTCOME_COMMITTED, 1);

    assertThat(draft().getPools(0).getName()).endsWith("/bobs");
    Refusal outdated = refused(() -> bob.provision(tenant));
    assertThat(outdated.reason()).isEqualTo("VERSION_CHANGED");
    assertThat(outdated.message()).contains("ReplaceDraft", "DiscardDraft");
    // The same content is a new draft, from version 2.
    bob.replaceDraft(tenant, supply("bobs"));
    assertThat(bob.provision(tenant).getVersion()).isEqualTo(3);
  }

  @Test
  void wholeEditsOfOthersNeedTheEtagOfWhatTheyEdited() {
    bob.replaceDraft(tenant, supply("bobs"));

    for (Runnable unseen :
        List.<Runnable>of(
            () -> ada.replaceDraft(tenant, supply("a")),
            () -> ada.provision(tenant),
            () ->
                ada.configurations.discardDraft(
                    DiscardDraftRequest.newBuilder().setParent(parent).build()))) {
      Refusal refusal = refused(unseen);
      assertThat(refusal.reason()).isEqualTo("DRAFT_OF_OTHERS");
      assertThat(refusal.message()).contains(parent + "/users/bob at 20", "send its etag");
    }
    ResourceConfiguration seen = draft();
    assertThat(seen.getPools(0).getName()).endsWith("/bobs");
    ada.configurations.replaceDraft(
        ReplaceDraftRequest.newBuilder()
            .setParent(parent)
            .setConfiguration(supply("both").toBuilder().setEtag(seen.getEtag()))
            .build());
    assertThat(draft().getDraftEditorsList())
        .extracting(DraftEditor::getSubject)
        .containsExactly(parent + "/users/ada", parent + "/users/bob");
    assertThat(
            ada.configurations
                .provisionDraft(
                    ProvisionDraftRequest.newBuilder()
                        .setParent(parent)
                        .setEtag(draft().getEtag())
                        .build())
                .getVersion())
        .isEqualTo(1);
    bob.replaceDraft(tenant, supply("later"));
    assertThat(draft().getDraftEditorsList()).as("of the new draft").hasSize(1);
  }

  private ResourceConfiguration supply(String pool) {
    return configuration(
        List.of(pool(tenant, pool).setType(Pool.Type.TYPE_STATIC).build()),
        List.of(profile(tenant, "one", "1", pool).build()));
  }

  private PreparedChange prepare(String change, long base, ResourceConfiguration supply) {
    return ada.configurations.prepareChange(change(change, base, supply).build());
  }

  private PrepareChangeRequest.Builder change(
      String change, long base, ResourceConfiguration supply) {
    PrepareChangeRequest.Builder request =
        PrepareChangeRequest.newBuilder()
            .setParent(parent)
            .setChangeId(change)
            .setBaseVersion(base);
    if (supply != null) {
      request.setConfiguration(supply);
    }
    return request;
  }

  private void settle(String change, Outcome outcome, long accessVersion) {
    decider.configurations.settleChange(
        settlement(change, accessVersion).toBuilder().setOutcome(outcome).build());
  }

  private SettleChangeRequest settlement(String change, long accessVersion) {
    return SettleChangeRequest.newBuilder()
        .setParent(parent)
        .setChangeId(change)
        .setOutcome(Outcome.OUTCOME_COMMITTED)
        .setAccessVersion(accessVersion)
        .build();
  }

  private List<PreparedChange> pending() {
    return ada.configurations
        .listPreparedChanges(ListPreparedChangesRequest.newBuilder().setParent(parent).build())
        .getChangesList();
  }

  private ResourceConfiguration inForce() {
    return ada.configurations.getResourceConfiguration(
        GetResourceConfigurationRequest.newBuilder().setParent(parent).build());
  }

  private ResourceConfiguration draft() {
    return ada.configurations.getDraft(GetDraftRequest.newBuilder().setParent(parent).build());
  }
}
