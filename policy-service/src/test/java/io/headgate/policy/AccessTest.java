package io.headgate.policy;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Duration;
import io.grpc.Status.Code;
import io.headgate.kit.failure.Refusal;
import io.headgate.kit.failure.Refusal.FieldViolation;
import io.headgate.kit.testing.PostgresFixture;
import io.headgate.proto.policy.v1.Budget;
import io.headgate.proto.policy.v1.DeleteGroupRequest;
import io.headgate.proto.policy.v1.DeletePolicyRequest;
import io.headgate.proto.policy.v1.DeleteQueueRequest;
import io.headgate.proto.policy.v1.Department;
import io.headgate.proto.policy.v1.GetPolicyRequest;
import io.headgate.proto.policy.v1.GetQueueRequest;
import io.headgate.proto.policy.v1.Grace;
import io.headgate.proto.policy.v1.Group;
import io.headgate.proto.policy.v1.GroupServiceGrpc;
import io.headgate.proto.policy.v1.ListGroupsRequest;
import io.headgate.proto.policy.v1.ListPoliciesRequest;
import io.headgate.proto.policy.v1.ListQueuesRequest;
import io.headgate.proto.policy.v1.Policy;
import io.headgate.proto.policy.v1.PolicyServiceGrpc;
import io.headgate.proto.policy.v1.Queue;
import io.headgate.proto.policy.v1.QueueServiceGrpc;
import io.headgate.proto.policy.v1.TokenServiceGrpc;
import io.headgate.proto.policy.v1.UpdateGroupRequest;
import io.headgate.proto.policy.v1.WhoAmIRequest;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class AccessTest {
  @Order(1)
  @RegisterExtension
  static final PostgresFixture POSTGRES = PostgresFixture.of("policy");

  @Order(2)
  @RegisterExtension
  static final PolicyFixture POLICY = PolicyFixture.of(POSTGRES);

  @Test
  void aProfileConnectedToAPolicyIsAQueueThatItsGroupMayUse() {
    Acme acme = Acme.found(POLICY);
    acme.group("rnd", "ada");
    acme.policy("rnd", "rnd", "0.5", "8");
    Queue queue = acme.queue("rnd-half", "rnd", "half");
    assertThat(queue.getRank()).isEqualTo(1);
    assertThat(queue.getOverReservation()).isEqualTo(Queue.OverReservation.OVER_RESERVATION_ALLOW);
    var ada = TokenServiceGrpc.newBlockingStub(POLICY.member(acme.id()));
    assertThat(ada.whoAmI(WhoAmIRequest.getDefaultInstance()).getQueuesList())
        .containsExactly("rnd-half");
    var admin = TokenServiceGrpc.newBlockingStub(acme.admin());
    assertThat(admin.whoAmI(WhoAmIRequest.getDefaultInstance()).getQueuesList()).isEmpty();
    // Supply was read with the caller's own rights.
    assertThat(POLICY.pools().callers()).contains(acme.parent() + "/users/admin");
  }

  @Test
  void everyChangeIsTheNextVersion() {
    Acme acme = Acme.found(POLICY);
    assertThat(acme.configuration().getVersion()).isZero();
    Group group = acme.group("rnd", "ada");
    Policy policy = acme.policy("rnd", "rnd", "1", "8");
    Queue queue = acme.queue("rnd-half", "rnd", "half");
    assertThat(acme.configuration().getVersion()).isEqualTo(3);
    acme.update(policy.toBuilder().setReservation("2").build(), "reservation");
    acme.update(queue.toBuilder().setPaused(true).build(), "paused");
    assertThat(acme.configuration().getVersion()).isEqualTo(5);
    assertThat(acme.configuration().getUpdatedBy()).isEqualTo(acme.parent() + "/users/admin");
    GroupServiceGrpc.newBlockingStub(acme.admin())
        .updateGroup(UpdateGroupRequest.newBuilder().setGroup(group).build());
    acme.update(queue.toBuilder().setPaused(true).build(), "paused");
    assertThat(acme.configuration().getVersion()).as("nothing changed").isEqualTo(5);
  }

  @Test
  void quantitiesComeBackInLowestTerms() {
    Acme acme = Acme.found(POLICY);
    acme.group("rnd");
    Policy policy =
        acme.policy(
            "rnd",
            Policy.newBuilder()
                .setGroup("rnd")
                .setReservation("0.5")
                .setLimit("14/4")
                .setPerUserLimit("2.0"));
    assertThat(policy.getReservation()).isEqualTo("1/2");
    assertThat(policy.getLimit()).isEqualTo("7/2");
    assertThat(policy.getPerUserLimit()).isEqualTo("2");
  }

  @Test
  void aPolicyHasItsDefaults() {
    Acme acme = Acme.found(POLICY);
    acme.group("rnd");
    Policy policy = acme.policy("rnd", Policy.newBuilder().setGroup("rnd").setLimit("4"));
    assertThat(policy.getReservation()).isEqualTo("0");
    assertThat(policy.getWeight()).isEqualTo(1);
    assertThat(policy.getPerUserLimit()).isEmpty();
    assertThat(policy.getPreemptible()).isTrue();
    assertThat(policy.getStopAfter().getSeconds()).isEqualTo(2400);
    assertThat(policy.getOnPreempt()).isEqualTo(Policy.OnPreempt.ON_PREEMPT_REQUEUE);
    assertThat(policy.getPreemptWithin()).isEqualTo(Policy.PreemptWithin.PREEMPT_WITHIN_NEVER);
  }

  @Test
  void eachFieldOfAPolicyChangesAloneAndComesBack() {
    Acme acme = Acme.found(POLICY);
    acme.group("rnd", "ada");
    acme.group("ops", "ada");
    acme.replace(
        acme.configuration().toBuilder()
            .addDepartments(
                Department.newBuilder().setName(acme.parent() + "/departments/science")));
    Policy before = acme.policy("rnd", "rnd", "1", "8");
    Policy after =
        before.toBuilder()
            .setGroup("ops")
            .setDepartment("science")
            .setPreemptAfter(Duration.newBuilder().setSeconds(30))
            .setGrace(
                Grace.newBuilder()
                    .setCallback(Duration.newBuilder().setSeconds(60))
                    .setTerminate(Duration.newBuilder()))
            .setBudget(
                Budget.newBuilder()
                    .setGpuHours("5000")
                    .setPer(Budget.Per.PER_WEEK)
                    .setWarnAt(90)
                    .setWhenSpent(Budget.WhenSpent.WHEN_SPENT_STOP))
            .setReservation("2")
            .setLimit("9")
            .setWeight(7)
            .setPerUserLimit("3")
            .addExceedLimit("ada")
            .setOnPreempt(Policy.OnPreempt.ON_PREEMPT_CANCEL)
            .setMinRuntime(Duration.newBuilder().setSeconds(60))
            .setPreemptible(false)
            .setPreemptWithin(Policy.PreemptWithin.PREEMPT_WITHIN_LOWER_PRIORITY)
            .setStopAfter(Duration.newBuilder().setSeconds(90).setNanos(500_000_000))
            .setDescription("research and development")
            .build();
    Policy expected = before;
    for (var field : after.getDescriptorForType().getFields()) {
      if (!field.getName().equals("name") && !field.getName().equals("stop_after_never")) {
        expected = expected.toBuilder().setField(field, after.getField(field)).build();
        assertThat(acme.update(after, field.getName())).as(field.getName()).isEqualTo(expected);
      }
    }
    PolicyServiceGrpc.PolicyServiceBlockingStub policies =
        PolicyServiceGrpc.newBlockingStub(acme.admin());
    GetPolicyRequest get = GetPolicyRequest.newBuilder().setName(before.getName()).build();
    assertThat(policies.getPolicy(get)).isEqualTo(after);
    acme.update(before, "per_user_limit", "exceed_limit");
    assertThat(policies.getPolicy(get).getPerUserLimit()).isEmpty();
    assertThat(policies.getPolicy(get).getExceedLimitList()).isEmpty();
  }

  @Test
  void anUpdateNeedsOnlyWhatItsMaskNames() {
    Acme acme = Acme.found(POLICY);
    acme.group("rnd");
    Policy before = acme.policy("rnd", "rnd", "1", "8");
    Policy part = Policy.newBuilder().setName(before.getName()).setReservation("2").build();
    assertThat(acme.update(part, "reservation"))
        .isEqualTo(before.toBuilder().setReservation("2").build());
    Refusal whole = PolicyFixture.refusal(() -> acme.update(part));
    assertThat(whole.reason()).isEqualTo("INVALID_FIELD");
    assertThat(whole.violations())
        .extracting(FieldViolation::field)
        .containsExactly("policy.group", "policy.limit");
    Refusal unknown =
        PolicyFixture.refusal(
            () -> acme.update(before.toBuilder().setOnPreemptValue(77).build(), "on_preempt"));
    assertThat(unknown.violations().getFirst().field()).isEqualTo("policy.on_preempt");
    Queue queue = acme.queue("rnd-3", "rnd", "three");
    Queue paused =
        acme.update(Queue.newBuilder().setName(queue.getName()).setPaused(true).build(), "paused");
    assertThat(paused).isEqualTo(queue.toBuilder().setPaused(true).build());
  }

  @Test
  void stopAfterIsATimeOrNever() {
    Acme acme = Acme.found(POLICY);
    acme.group("rnd");
    Policy policy = acme.policy("rnd", "rnd", "1", "8");
    Policy never =
        acme.update(policy.toBuilder().setStopAfterNever(true).build(), "stop_after_never");
    assertThat(never.getStopAfterNever()).isTrue();
    assertThat(never.hasStopAfter()).isFalse();
    Policy again = acme.update(policy, "stop_after");
    assertThat(again.getStopAfterNever()).isFalse();
    assertThat(again.getStopAfter().getSeconds()).isEqualTo(2400);
    Refusal both =
        PolicyFixture.refusal(() ->
            acme.update(
                policy.toBuilder().setStopAfterNever(true).build(),
                "stop_after",
                "stop_after_never"));
    assertThat(both.reason()).isEqualTo("CONTRADICTION");
    assertThat(both.violations().getFirst().field()).isEqualTo("policy.stop_after");
  }

  @Test
  void refusesAReservationAboveTheLimitWithBothNumbers() {
    Acme acme = Acme.found(POLICY);
    acme.group("rnd");
    Refusal refusal = PolicyFixture.refusal(() -> acme.policy("rnd", "rnd", "12", "10"));
    assertThat(refusal.code()).isEqualTo(Code.INVALID_ARGUMENT);
    assertThat(refusal.reason()).isEqualTo("RESERVATION_ABOVE_LIMIT");
    assertThat(refusal.metadata()).containsEntry("reservation", "12").containsEntry("limit", "10");
    assertThat(refusal.violations())
        .extracting(FieldViolation::field)
        .containsExactly("policy.reservation");
    assertThat(refusal.message()).contains("12", "10", "raise the limit");
    assertThat(acme.configuration().getPoliciesList()).isEmpty();
  }

  @Test
  void refusesAnInexactQuantityNamingBothNeighbours() {
    Acme acme = Acme.found(POLICY);
    acme.group("rnd");
    Refusal refusal = PolicyFixture.refusal(() -> acme.policy("rnd", "rnd", "1/11", "10"));
    assertThat(refusal.reason()).isEqualTo("INEXACT_QUANTITY");
    assertThat(refusal.message()).contains("1/11", "11454/126000", "11455/126000");
    Refusal malformed = PolicyFixture.refusal(() -> acme.policy("rnd", "rnd", "1", "a lot"));
    assertThat(malformed.reason()).isEqualTo("MALFORMED_QUANTITY");
    assertThat(malformed.violations().getFirst().field()).isEqualTo("policy.limit");
    assertThat(malformed.message()).contains("a lot", "1/7");
  }

  @Test
  void refusesAProfileThatNeedsMoreThanTheLimit() {
    Acme acme = Acme.found(POLICY);
    acme.group("rnd");
    Policy policy = acme.policy("rnd", "rnd", "1", "7");
    Refusal refusal = PolicyFixture.refusal(() -> acme.queue("rnd-gang", "rnd", "gang"));
    assertThat(refusal.reason()).isEqualTo("PROFILE_ABOVE_LIMIT");
    assertThat(refusal.metadata()).containsEntry("need", "8").containsEntry("limit", "7");
    assertThat(refusal.violations().getFirst().field()).isEqualTo("queue.profile");

    acme.queue("rnd-3", "rnd", "three");
    Refusal lower =
        PolicyFixture.refusal(() -> acme.update(policy.toBuilder().setLimit("2").build(), "limit"));
    assertThat(lower.reason()).isEqualTo("PROFILE_ABOVE_LIMIT");
    assertThat(lower.violations().getFirst().field()).isEqualTo("policy.limit");
    assertThat(lower.metadata()).containsEntry("queue", "rnd-3");
  }

  @Test
  void refusesWhatIsNotThereAndSaysWhatMayBeMeant() {
    Acme acme = Acme.found(POLICY);
    acme.group("rnd");
    acme.policy("rnd", "rnd", "1", "8");
    Refusal profile = PolicyFixture.refusal(() -> acme.queue("q", "rnd", "hlaf"));
    assertThat(profile.reason()).isEqualTo("PROFILE_NOT_FOUND");
    assertThat(profile.message()).contains("hlaf", "did you mean 'half'?");
    Refusal policy = PolicyFixture.refusal(() -> acme.queue("q", "rdn", "half"));
    assertThat(policy.reason()).isEqualTo("POLICY_NOT_FOUND");
    assertThat(policy.code()).isEqualTo(Code.INVALID_ARGUMENT);
    Refusal group = PolicyFixture.refusal(() -> acme.policy("x", "nobody", "1", "8"));
    assertThat(group.reason()).isEqualTo("GROUP_NOT_FOUND");
    Refusal user =
        PolicyFixture.refusal(() ->
            acme.policy(
                "x", Policy.newBuilder().setGroup("rnd").setLimit("1").addExceedLimit("zoe")));
    assertThat(user.reason()).isEqualTo("USER_NOT_FOUND");
    assertThat(user.violations().getFirst().field()).isEqualTo("policy.exceed_limit[0]");
  }

  @Test
  void withoutThePoolServiceNothingThatNeedsItChanges() {
    Acme acme = Acme.found(POLICY);
    acme.group("rnd");
    acme.policy("rnd", "rnd", "1", "8");
    POLICY.pools().close();
    try {
      Refusal refusal = PolicyFixture.refusal(() -> acme.queue("rnd-3", "rnd", "three"));
      assertThat(refusal.code()).isEqualTo(Code.UNAVAILABLE);
      assertThat(refusal.reason()).isEqualTo("POOL_SERVICE_UNAVAILABLE");
      assertThat(refusal.retryDelay()).isPresent();
      acme.group("others");
      assertThat(acme.configuration().getQueuesList()).isEmpty();
    } finally {
      POLICY.restart();
    }
  }

  @Test
  void aGroupWithRightsStays() {
    Acme acme = Acme.found(POLICY);
    Group group = acme.group("rnd");
    acme.policy("rnd", "rnd", "1", "8");
    var groups = GroupServiceGrpc.newBlockingStub(acme.admin());
    DeleteGroupRequest delete = DeleteGroupRequest.newBuilder().setName(group.getName()).build();
    Refusal refusal = PolicyFixture.refusal(() -> groups.deleteGroup(delete));
    assertThat(refusal.reason()).isEqualTo("GROUP_IN_USE");
    assertThat(refusal.code()).isEqualTo(Code.FAILED_PRECONDITION);
    assertThat(refusal.metadata()).containsEntry("policies", "rnd");
    PolicyServiceGrpc.newBlockingStub(acme.admin())
        .deletePolicy(
            DeletePolicyRequest.newBuilder().setName(acme.parent() + "/policies/rnd").build());
    groups.deleteGroup(delete);
    assertThat(PolicyFixture.refusal(() -> groups.deleteGroup(delete)).reason())
        .isEqualTo("GROUP_NOT_FOUND");
  }

  @Test
  void queuesGoWithTheirPolicyOrAlone() {
    Acme acme = Acme.found(POLICY);
    acme.group("rnd");
    acme.policy("rnd", "rnd", "1", "8");
    Queue half = acme.queue("half", "rnd", "half");
    acme.queue("three", "rnd", "three");
    var queues = QueueServiceGrpc.newBlockingStub(acme.admin());
    queues.deleteQueue(DeleteQueueRequest.newBuilder().setName(half.getName()).build());
    Refusal gone =
        PolicyFixture.refusal(
            () -> queues.getQueue(GetQueueRequest.newBuilder().setName(half.getName()).build()));
    assertThat(gone.reason()).isEqualTo("QUEUE_NOT_FOUND");
    PolicyServiceGrpc.newBlockingStub(acme.admin())
        .deletePolicy(
            DeletePolicyRequest.newBuilder().setName(acme.parent() + "/policies/rnd").build());
    assertThat(acme.configuration().getQueuesList()).isEmpty();
  }

  @Test
  void listsAreById() {
    Acme acme = Acme.found(POLICY);
    acme.group("b");
    acme.group("a");
    acme.policy("z", "a", "0", "9");
    acme.policy("y", "a", "0", "9");
    acme.queue("q2", "y", "half");
    acme.queue("q1", "z", "half");
    String parent = acme.parent();
    assertThat(
            GroupServiceGrpc.newBlockingStub(acme.admin())
                .listGroups(ListGroupsRequest.newBuilder().setParent(parent).build())
                .getGroupsList())
        .extracting(Group::getName)
        .containsExactly(parent + "/groups/a", parent + "/groups/b");
    var policies = PolicyServiceGrpc.newBlockingStub(acme.admin());
    var first =
        policies.listPolicies(
            ListPoliciesRequest.newBuilder().setParent(parent).setPageSize(1).build());
    assertThat(first.getPolicies(0).getName()).endsWith("/y");
    var second =
        policies.listPolicies(
            ListPoliciesRequest.newBuilder()
                .setParent(parent)
                .setPageSize(1)
                .setPageToken(first.getNextPageToken())
                .build());
    assertThat(second.getPolicies(0).getName()).endsWith("/z");
    assertThat(second.getNextPageToken()).isEmpty();
    assertThat(
            QueueServiceGrpc.newBlockingStub(acme.admin())
                .listQueues(ListQueuesRequest.newBuilder().setParent(parent).build())
                .getQueuesList())
        .extracting(Queue::getName)
        .containsExactly(parent + "/queues/q1", parent + "/queues/q2");
  }

  @Test
  void aNameIsTakenOnce() {
    Acme acme = Acme.found(POLICY);
    acme.group("rnd");
    Refusal refusal = PolicyFixture.refusal(() -> acme.group("rnd", "ada"));
    assertThat(refusal.code()).isEqualTo(Code.ALREADY_EXISTS);
    assertThat(refusal.reason()).isEqualTo("NAME_TAKEN");
    assertThat(refusal.violations().getFirst().field()).isEqualTo("group_id");
  }
}
