package io.headgate.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.assertj.core.api.InstanceOfAssertFactories.STRING;

import io.grpc.Status.Code;
import io.headgate.kit.failure.Refusal;
import io.headgate.kit.failure.Refusal.FieldViolation;
import io.headgate.kit.testing.PostgresFixture;
import io.headgate.proto.policy.v1.AccessConfiguration;
import io.headgate.proto.policy.v1.AccessWarning;
import io.headgate.proto.policy.v1.GetUserRequest;
import io.headgate.proto.policy.v1.Group;
import io.headgate.proto.policy.v1.ListServiceAccountsRequest;
import io.headgate.proto.policy.v1.Policy;
import io.headgate.proto.policy.v1.Queue;
import io.headgate.proto.policy.v1.ReplaceAccessConfigurationRequest;
import io.headgate.proto.policy.v1.ReplaceAccessConfigurationResponse;
import io.headgate.proto.policy.v1.ServiceAccount;
import io.headgate.proto.policy.v1.ServiceAccountServiceGrpc;
import io.headgate.proto.policy.v1.User;
import io.headgate.proto.policy.v1.UserServiceGrpc;
import io.headgate.proto.pool.v1.ResourceConfiguration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class ReplaceAccessTest {
  @Order(1)
  @RegisterExtension
  static final PostgresFixture POSTGRES = PostgresFixture.of("policy");

  @Order(2)
  @RegisterExtension
  static final PolicyFixture POLICY = PolicyFixture.of(POSTGRES);

  @Test
  void aWholeMayHaveFourMebibytesAndNoMore() {
    Acme acme = Acme.found(POLICY);
    AccessConfiguration.Builder large = withGroups(acme, 3);
    assertThat(large.build().getSerializedSize()).isBetween(1 << 20, 2 << 20);
    assertThat(acme.replace(large).getConfiguration().getGroupsList())
        .isEqualTo(large.getGroupsList());
    Refusal refusal = PolicyFixture.refusal(() -> acme.replace(withGroups(acme, 9)));
    assertThat(refusal.reason()).isEqualTo("MESSAGE_TOO_LARGE");
    assertThat(refusal.code()).isEqualTo(Code.RESOURCE_EXHAUSTED);
    assertThat(acme.configuration().getGroupsCount()).isEqualTo(3);
  }

  /// Groups of half a mebibyte each.
  private static AccessConfiguration.Builder withGroups(Acme acme, int count) {
    Group.Builder group = Group.newBuilder();
    for (int i = 10_000; i < 20_000; i++) {
      group.addUsers("a-user-with-a-name-of-fifty-characters-there-" + i);
    }
    AccessConfiguration.Builder whole = AccessConfiguration.newBuilder();
    for (int i = 0; i < count; i++) {
      whole.addGroups(group.setName(acme.parent() + "/groups/g" + i));
    }
    return whole;
  }

  @Test
  void theWholeIsPutInForceAsOneVersion() {
    Acme acme = Acme.found(POLICY);
    acme.bringNodes();
    ReplaceAccessConfigurationResponse answer = acme.replace(acme.twoTeams());
    AccessConfiguration inForce = acme.configuration();
    assertThat(answer.getConfiguration()).isEqualTo(inForce);
    assertThat(answer.getWarningsList()).isEmpty();
    assertThat(inForce.getVersion()).isEqualTo(1);
    assertThat(inForce.getUpdatedBy()).isEqualTo(acme.parent() + "/users/admin");
    assertThat(inForce.getPoliciesList())
        .extracting(Policy::getReservation, Policy::getLimit)
        .containsExactly(tuple("5", "9"), tuple("5", "9"));
    assertThat(inForce.getQueuesList()).extracting(Queue::getRank).containsExactly(2, 1);
  }

  @Test
  void whomItsGroupsNameIsMade() {
    Acme acme = Acme.found(POLICY);
    acme.replace(acme.twoTeams());
    assertThat(
            UserServiceGrpc.newBlockingStub(acme.admin())
                .getUser(
                    GetUserRequest.newBuilder().setName(acme.parent() + "/users/linus").build())
                .getAdmin())
        .isFalse();
    assertThat(
            ServiceAccountServiceGrpc.newBlockingStub(acme.admin())
                .listServiceAccounts(
                    ListServiceAccountsRequest.newBuilder().setParent(acme.parent()).build())
                .getServiceAccountsList())
        .extracting(ServiceAccount::getName)
        .containsExactly(acme.parent() + "/serviceAccounts/nightly");
  }

  @Test
  void statedAdminsAreExactlyTheAdmins() {
    Acme acme = Acme.found(POLICY);
    acme.replace(acme.twoTeams());
    assertThat(acme.configuration().getAdminsList()).containsExactly("admin");
    AccessConfiguration.Builder stated = acme.twoTeams().setAdminsStated(true);
    stated.addAdmins("linus").addAdmins("admin").addAdmins("new");
    assertThat(acme.replace(stated).getConfiguration().getAdminsList())
        .containsExactly("admin", "linus", "new");
    assertThat(acme.configuration().getVersion()).as("a version, too").isEqualTo(2);
    assertThat(acme.replace(stated).getConfiguration().getVersion()).isEqualTo(2);
    acme.replace(acme.twoTeams());
    assertThat(acme.configuration().getAdminsList())
        .as("not stated: they stay")
        .containsExactly("admin", "linus", "new");

    AccessConfiguration.Builder fewer = acme.twoTeams().setAdminsStated(true).addAdmins("admin");
    acme.replace(fewer);
    assertThat(acme.configuration().getAdminsList()).containsExactly("admin");
    assertThat(user(acme, "linus").getAdmin()).isFalse();
    assertThat(user(acme, "new").getAdmin()).as("stays as a member").isFalse();

    Refusal without =
        PolicyFixture.refusal(
            () -> acme.replace(acme.twoTeams().setAdminsStated(true).addAdmins("linus")));
    assertThat(without.reason()).isEqualTo("ADMINS_WITHOUT_CALLER");
    assertThat(without.message()).contains("add admin, or let an operator make it");
    for (List<String> wrong : List.of(List.of("admin", "No Name"), List.of("admin", "admin"))) {
      assertThat(
              PolicyFixture.refusal(
                      () -> acme.replace(acme.twoTeams().setAdminsStated(true).addAllAdmins(wrong)))
                  .violations())
          .extracting(FieldViolation::field)
          .containsExactly("admins");
    }
    assertThat(acme.configuration().getAdminsList()).containsExactly("admin");
  }

  private static User user(Acme acme, String id) {
    return UserServiceGrpc.newBlockingStub(acme.admin())
        .getUser(GetUserRequest.newBuilder().setName(acme.parent() + "/users/" + id).build());
  }

  @Test
  void anEqualConfigurationChangesNothing() {
    Acme acme = Acme.found(POLICY);
    AccessConfiguration first = acme.replace(acme.twoTeams()).getConfiguration();
    int asked = POLICY.pools().callers().size();
    assertThat(acme.replace(first.toBuilder()).getConfiguration()).isEqualTo(first);
    AccessConfiguration.Builder turned = acme.twoTeams();
    List<Group> groups = new ArrayList<>(turned.getGroupsList().reversed());
    Group rnd = groups.removeLast();
    groups.add(rnd.toBuilder().clearUsers().addUsers("grace").addUsers("ada").build());
    turned.clearGroups().addAllGroups(groups);
    assertThat(acme.replace(turned).getConfiguration()).isEqualTo(first);
    assertThat(POLICY.pools().callers()).as("supply was not asked").hasSize(asked);
  }

  @Test
  void whatIsLeftOutGoes() {
    Acme acme = Acme.found(POLICY);
    AccessConfiguration.Builder two = acme.twoTeams();
    acme.replace(two);
    AccessConfiguration.Builder one = two.clone().removeGroups(1).removePolicies(1).removeQueues(1);
    AccessConfiguration next = acme.replace(one).getConfiguration();
    assertThat(next.getVersion()).isEqualTo(2);
    assertThat(next.getGroupsList()).hasSize(1);
    assertThat(acme.configuration()).isEqualTo(next);
    AccessConfiguration none = acme.replace(AccessConfiguration.newBuilder()).getConfiguration();
    assertThat(none.getVersion()).isEqualTo(3);
    assertThat(none.getPoliciesCount()).isZero();
  }

  @Test
  void everythingMayChangeAtOnce() {
    Acme acme = Acme.found(POLICY);
    acme.replace(acme.twoTeams());
    AccessConfiguration.Builder next = acme.twoTeams();
    // The policy keeps its name and moves to a new group, the old group goes; queues swap profiles.
    next.getGroupsBuilder(0).setName(acme.parent() + "/groups/science").clearServiceAccounts();
    next.getPoliciesBuilder(0).setGroup("science").setLimit("10").addExceedLimit("ada");
    next.getQueuesBuilder(0).setProfile("half");
    next.getQueuesBuilder(1).setProfile("half").setPolicy("rnd");
    next.getQueuesBuilder(0).setPolicy("devops");
    AccessConfiguration after = acme.replace(next).getConfiguration();
    assertThat(acme.configuration()).isEqualTo(after);
    assertThat(after.getGroupsList())
        .extracting(Group::getName)
        .containsExactly(acme.parent() + "/groups/devops", acme.parent() + "/groups/science");
  }

  @Test
  void twoQueuesCanSwapTheirProfiles() {
    Acme acme = Acme.found(POLICY);
    acme.group("rnd");
    acme.policy("rnd", "rnd", "0", "8");
    acme.queue("a", "rnd", "three");
    acme.queue("b", "rnd", "half");
    AccessConfiguration.Builder swapped = acme.configuration().toBuilder();
    swapped.getQueuesBuilder(0).setProfile("half");
    swapped.getQueuesBuilder(1).setProfile("three");
    assertThat(acme.replace(swapped).getConfiguration().getQueuesList())
        .extracting(Queue::getProfile)
        .containsExactly("half", "three");
  }

  @Test
  void aStaleVersionIsRefused() {
    Acme acme = Acme.found(POLICY);
    acme.replace(acme.twoTeams());
    acme.group("another");
    Refusal refusal =
        PolicyFixture.refusal(() ->
            acme.replace(
                ReplaceAccessConfigurationRequest.newBuilder()
                    .setConfiguration(acme.twoTeams())
                    .setIfVersion(1)));
    assertThat(refusal.code()).isEqualTo(Code.ABORTED);
    assertThat(refusal.reason()).isEqualTo("VERSION_CHANGED");
    assertThat(refusal.metadata()).containsEntry("expected", "1").containsEntry("actual", "2");
  }

  @Test
  void allThatIsWrongIsSaidAtOnceAndNothingIsChanged() {
    Acme acme = Acme.found(POLICY);
    AccessConfiguration.Builder wrong = acme.twoTeams();
    wrong.getPoliciesBuilder(0).setReservation("12").setLimit("10");
    wrong.getPoliciesBuilder(1).setGroup("devop").setLimit("1/11");
    wrong.getQueuesBuilder(0).setProfile("gagn");
    wrong.getGroupsBuilder(0).setName("tenants/globex/groups/rnd");
    Refusal refusal = PolicyFixture.refusal(() -> acme.replace(wrong));
    assertThat(refusal.code()).isEqualTo(Code.INVALID_ARGUMENT);
    assertThat(refusal.violations())
        .extracting(FieldViolation::field, FieldViolation::reason)
        .contains(
            tuple("policies[rnd].reservation", "RESERVATION_ABOVE_LIMIT"),
            tuple("policies[devops].limit", "INEXACT_QUANTITY"),
            tuple("queues[rnd-3].profile", "PROFILE_NOT_FOUND"),
            tuple("groups[tenants/globex/groups/rnd].name", "INVALID_NAME"));
    assertThat(acme.configuration().getVersion()).isZero();
    Refusal missing =
        PolicyFixture.refusal(() ->
            UserServiceGrpc.newBlockingStub(acme.admin())
                .getUser(
                    GetUserRequest.newBuilder().setName(acme.parent() + "/users/linus").build()));
    assertThat(missing.reason()).isEqualTo("USER_NOT_FOUND");
  }

  @Test
  void warnsOfMoreReservationsThanThereIs() {
    Acme acme = Acme.found(POLICY);
    acme.bringNodes();
    AccessConfiguration.Builder much = acme.twoTeams();
    much.getPoliciesBuilder(0).setReservation("9");
    List<AccessWarning> warnings = acme.replace(much).getWarningsList();
    assertThat(warnings).extracting(AccessWarning::getReason).containsExactly("OVERCOMMITTED");
    assertThat(warnings.getFirst().getMessage()).contains("14 GPUs", "offer 10");
  }

  @Test
  void warnsOfKeysThatOutliveTheirOwnersLastGroup() {
    Acme acme = Acme.found(POLICY);
    acme.bringNodes();
    acme.replace(acme.twoTeams());
    POLICY.key(acme.parent() + "/users/ada");
    POLICY.key(acme.parent() + "/serviceAccounts/nightly");
    POLICY.key(acme.parent() + "/serviceAccounts/nightly");
    AccessConfiguration.Builder without = acme.twoTeams();
    without.getGroupsBuilder(0).clearUsers().clearServiceAccounts().addUsers("grace");
    List<AccessWarning> planned =
        acme.replace(
                ReplaceAccessConfigurationRequest.newBuilder()
                    .setConfiguration(without)
                    .setValidateOnly(true))
            .getWarningsList();
    assertThat(planned)
        .extracting(AccessWarning::getReason)
        .containsExactly("KEYS_REMAIN", "KEYS_REMAIN");
    assertThat(planned.getFirst().getMessage()).startsWith("2 keys of 'nightly' remain:");
    assertThat(planned.getLast().getMessage())
        .startsWith("1 key of 'ada' remains:")
        .endsWith("headgate keys revoke --owner ada");
    assertThat(acme.replace(without).getWarningsList()).isEqualTo(planned);
    assertThat(acme.replace(without).getWarningsList()).isEmpty();
  }

  @Test
  void aCheckStoresNothingAndSeesTheDraft() {
    Acme acme = Acme.found(POLICY);
    AccessConfiguration.Builder wanted = acme.twoTeams();
    wanted.getQueuesBuilder(0).setProfile("new");
    ReplaceAccessConfigurationRequest.Builder check =
        ReplaceAccessConfigurationRequest.newBuilder()
            .setConfiguration(wanted)
            .setValidateOnly(true);
    assertThat(PolicyFixture.refusal(() -> acme.replace(check.clone())).reason())
        .isEqualTo("PROFILE_NOT_FOUND");
    ResourceConfiguration draft =
        acme.resources().toBuilder()
            .addProfiles(FakePools.profile(acme.id(), "new", "2", 1))
            .build();
    POLICY.pools().draft(acme.id(), draft);
    AccessConfiguration would =
        acme.replace(check.clone().setAgainstDraft(true)).getConfiguration();
    assertThat(would.getVersion()).isEqualTo(1);
    assertThat(would.getQueuesList()).extracting(Queue::getProfile).contains("new");
    assertThat(acme.configuration().getVersion()).isZero();
  }

  @Test
  void aCheckOfWhatIsInForceFindsAProfileThatADraftTakesAway() {
    Acme acme = Acme.found(POLICY);
    AccessConfiguration inForce = acme.replace(acme.twoTeams()).getConfiguration();
    POLICY.pools().draft(acme.id(), acme.resources().toBuilder().removeProfiles(0).build());
    Refusal refusal =
        PolicyFixture.refusal(() ->
            acme.replace(
                ReplaceAccessConfigurationRequest.newBuilder()
                    .setConfiguration(inForce)
                    .setValidateOnly(true)
                    .setAgainstDraft(true)));
    assertThat(refusal.reason()).isEqualTo("PROFILE_NOT_FOUND");
  }

  @Test
  void aCheckTakesProfilesThatAreStoredNowhere() {
    Acme acme = Acme.found(POLICY);
    acme.bringNodes();
    AccessConfiguration.Builder wanted = acme.twoTeams();
    wanted.getQueuesBuilder(0).setProfile("new");
    ResourceConfiguration given =
        acme.resources().toBuilder()
            .setPools(0, FakePools.pool(acme.id(), "onprem", "6"))
            .addProfiles(FakePools.profile(acme.id(), "new", "2", 2))
            .build();
    ReplaceAccessConfigurationResponse would = acme.replace(check(wanted, given));
    assertThat(would.getConfiguration().getVersion()).isEqualTo(1);
    assertThat(would.getConfiguration().getQueuesList())
        .extracting(Queue::getProfile)
        .contains("new");
    assertThat(would.getWarningsList())
        .extracting(AccessWarning::getMessage)
        .first(STRING)
        .contains("10 GPUs", "offer 6");
    assertThat(acme.configuration().getVersion()).isZero();
    wanted.getPoliciesBuilder(0).setReservation("1").setLimit("3");
    assertThat(PolicyFixture.refusal(() -> acme.replace(check(wanted, given))).reason())
        .isEqualTo("PROFILE_ABOVE_LIMIT");
    wanted.getPoliciesBuilder(0).setLimit("9");
    wanted.getQueuesBuilder(0).setProfile("gone");
    assertThat(PolicyFixture.refusal(() -> acme.replace(check(wanted, given))).reason())
        .isEqualTo("PROFILE_NOT_FOUND");
  }

  @Test
  void profilesThatCannotBeReadAreRefusedAtTheirFields() {
    Acme acme = Acme.found(POLICY);
    ResourceConfiguration given =
        acme.resources().toBuilder()
            .addProfiles(FakePools.profile(acme.id(), "odd", "1/11", 1))
            .addProfiles(FakePools.profile(acme.id(), "half", "1/2", 1))
            .addProfiles(FakePools.profile("globex", "foreign", "1", 1))
            .addPools(FakePools.pool(acme.id(), "cloud", "many"))
            .build();
    assertThat(
            PolicyFixture.refusal(() -> acme.replace(check(acme.twoTeams(), given))).violations())
        .extracting(FieldViolation::field, FieldViolation::reason)
        .containsExactly(
            tuple("resource_configuration.pools[cloud].capacity", "MALFORMED_QUANTITY"),
            tuple("resource_configuration.profiles[odd].gpus", "INEXACT_QUANTITY"),
            tuple("resource_configuration.profiles[half].name", "DUPLICATE_NAME"),
            tuple(
                "resource_configuration.profiles[tenants/globex/profiles/foreign].name",
                "INVALID_NAME"));
  }

  @Test
  void onlyACheckMayLookAtWhatIsNotProvisioned() {
    Acme acme = Acme.found(POLICY);
    ReplaceAccessConfigurationRequest.Builder againstDraft =
        ReplaceAccessConfigurationRequest.newBuilder()
            .setConfiguration(acme.twoTeams())
            .setAgainstDraft(true);
    assertThat(onlyViolation(() -> acme.replace(againstDraft))).isEqualTo("against_draft");
    ReplaceAccessConfigurationRequest.Builder againstGiven =
        check(acme.twoTeams(), acme.resources()).setValidateOnly(false);
    assertThat(onlyViolation(() -> acme.replace(againstGiven))).isEqualTo("resource_configuration");
    assertThat(acme.configuration().getVersion()).isZero();
  }

  @Test
  void changesOfOneTenantComeOneAfterTheOther() throws Exception {
    Acme acme = Acme.found(POLICY);
    List<Callable<Group>> edits = new ArrayList<>();
    for (int i = 0; i < 12; i++) {
      String id = "g" + i;
      edits.add(() -> acme.group(id, "ada"));
    }
    try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      for (Future<Group> edit : threads.invokeAll(edits)) {
        edit.get();
      }
    } catch (ExecutionException e) {
      throw new AssertionError(e.getCause());
    }
    assertThat(acme.configuration().getVersion()).isEqualTo(12);
    assertThat(acme.configuration().getGroupsCount()).isEqualTo(12);
  }

  private static ReplaceAccessConfigurationRequest.Builder check(
      AccessConfiguration.Builder wanted, ResourceConfiguration resources) {
    return ReplaceAccessConfigurationRequest.newBuilder()
        .setConfiguration(wanted)
        .setValidateOnly(true)
        .setResourceConfiguration(resources);
  }

  private static String onlyViolation(Runnable call) {
    List<FieldViolation> violations = PolicyFixture.refusal(call::run).violations();
    assertThat(violations).hasSize(1);
    return violations.getFirst().field();
  }
}
