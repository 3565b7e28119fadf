package io.headgate.scheduler;

import static io.headgate.scheduler.Fixtures.ACME;
import static io.headgate.scheduler.Fixtures.access;
import static io.headgate.scheduler.Fixtures.group;
import static io.headgate.scheduler.Fixtures.policy;
import static io.headgate.scheduler.Fixtures.pool;
import static io.headgate.scheduler.Fixtures.profile;
import static io.headgate.scheduler.Fixtures.queue;
import static io.headgate.scheduler.Fixtures.resources;
import static io.headgate.scheduler.Fixtures.spec;
import static io.headgate.scheduler.Fixtures.submit;
import static io.headgate.scheduler.Installation.awaitState;
import static io.headgate.scheduler.Installation.get;
import static io.headgate.scheduler.Installation.submit;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import com.google.protobuf.Duration;
import io.grpc.Status.Code;
import io.headgate.kit.testing.PostgresFixture;
import io.headgate.proto.policy.v1.AccessConfiguration;
import io.headgate.proto.policy.v1.Policy;
import io.headgate.proto.policy.v1.Queue;
import io.headgate.proto.pool.v1.ResourceConfiguration;
import io.headgate.proto.pool.v1.Warning;
import io.headgate.proto.scheduler.v1.Job;
import io.headgate.proto.scheduler.v1.JobServiceGrpc.JobServiceBlockingStub;
import io.headgate.proto.scheduler.v1.PlanConfigurationRequest;
import io.headgate.proto.scheduler.v1.PlanConfigurationResponse;
import io.headgate.proto.scheduler.v1.PlanServiceGrpc;
import io.headgate.proto.scheduler.v1.PlanServiceGrpc.PlanServiceBlockingStub;
import io.headgate.proto.scheduler.v1.PlannedJob;
import io.headgate.proto.scheduler.v1.PlannedPolicy;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/// Plans of a configuration for the live system, computed by the whole service, which changes
/// nothing.
final class PlanTest {
  @RegisterExtension static final PostgresFixture POSTGRES = PostgresFixture.of("scheduler");

  private Installation installation;
  private JobServiceBlockingStub alice;

  /// R&D uses 9 of 10 GPUs and has one job that waits; DevOps, without a reservation, has another.
  @BeforeEach
  void start() {
    installation = new Installation(POSTGRES.fresh());
    Fixtures.seedExample(installation.neighbours);
    installation.neighbours.grant(rights("0", "9"));
    installation.start().awaitReady("rnd-3");
    installation.agent("a-0").connect();
    alice = installation.alice();
    for (int i = 0; i < 4; i++) {
      submit(
          alice,
          submit("rnd-3", "r-" + i).toBuilder()
              .setSpec(
                  spec("rnd-3").toBuilder().setMaxRuntime(Duration.newBuilder().setSeconds(3600)))
              .build());
      awaitState(alice, "r-" + i, i < 3 ? Job.State.STATE_RUNNING : Job.State.STATE_WAITING);
    }
    submit(installation.eve(), submit("devops-3", "d-0"));
  }

  @AfterEach
  void stop() {
    installation.close();
  }

  @Test
  void listsStartsPreemptionsAndWaitsAndChangesNothing() {
    PlanConfigurationResponse plan =
        admin().planConfiguration(request().setAccessConfiguration(rights("5", "9")).build());

    assertThat(plan.getStarts().getJobsList())
        .singleElement()
        .satisfies(start -> {
          assertThat(start.getJob()).isEqualTo("d-0");
          assertThat(start.getPool()).isEqualTo("onprem");
          assertThat(start.getPlacements(0).getNode()).isEqualTo("a-0");
          assertThat(start.getPlacements(0).getSlicesCount()).isEqualTo(3);
        });
    assertThat(plan.getPreempts().getJobsList())
        .singleElement()
        .satisfies(preempt -> {
          assertThat(preempt.getJob()).isEqualTo("r-2");
          assertThat(preempt.getPreemption().getByJob()).isEqualTo("d-0");
          assertThat(preempt.getPreemption().getRule()).isEqualTo("P1");
        });
    assertThat(plan.getWaits().getJobsList())
        .singleElement()
        .satisfies(wait -> {
          assertThat(wait.getJob()).isEqualTo("r-2");
          assertThat(wait.getReason().getCode()).isEqualTo("CAPACITY");
          assertThat(wait.getReason().getMessage()).isEqualTo("pool onprem, need 3, idle 1");
        });
    PlannedPolicy devops = planned(plan, "devops");
    assertThat(devops.getBefore().getUsage()).isEqualTo("0");
    assertThat(devops.getAfter().getUsage()).isEqualTo("3");
    assertThat(devops.getBefore().getReservation()).isEqualTo("0");
    assertThat(devops.getAfter().getReservation()).isEqualTo("5");
    assertThat(devops.getBefore().getWaitingJobs()).isEqualTo(1);
    assertThat(devops.getAfter().getWaitingJobs()).isZero();
    assertThat(devops.getAfter().getWaitP99()).isEqualTo(Duration.getDefaultInstance());
    assertThat(planned(plan, "rnd").getAfter().getUsage()).isEqualTo("6");

    assertThat(get(alice, "r-2").getState()).isEqualTo(Job.State.STATE_RUNNING);
    assertThat(get(installation.eve(), "d-0").getState()).isEqualTo(Job.State.STATE_WAITING);
  }

  @Test
  void warnsOfADedicationThatTakesThePoolFromOthers() {
    ResourceConfiguration.Builder supply = supply("onprem", "10").toBuilder();
    supply.getPoolsBuilder(0).getDedicatedToBuilder().setPolicy("devops");

    PlanConfigurationResponse plan =
        admin().planConfiguration(request().setResourceConfiguration(supply).build());

    assertThat(plan.getWarningsList())
        .extracting(Warning::getReason)
        .contains("DEDICATED_IN_USE", "QUEUE_WITHOUT_POOL");
    assertThat(plan.getWarningsList())
        .extracting(Warning::getMessage)
        .anySatisfy(message ->
            assertThat(message)
                .startsWith(
                    "pool 'onprem' is for policy 'devops' alone now; 3 jobs of other policies there"
                        + " run on to their end; lost to queues rnd-"))
        .contains(
            "no job of queue 'rnd-3' starts: its pools are dedicated to others, 'onprem' to policy"
                + " 'devops'");
  }

  @Test
  void warnsOfARemovedPolicyWhoseJobsRun() {
    AccessConfiguration.Builder rights = rights("0", "9").toBuilder();
    List<Policy> kept =
        rights.getPoliciesList().stream()
            .filter(policy -> !policy.getName().endsWith("/rnd"))
            .toList();
    List<Queue> queues =
        rights.getQueuesList().stream()
            .filter(queue -> !queue.getName().startsWith("tenants/acme/queues/rnd"))
            .toList();
    rights.clearPolicies().addAllPolicies(kept).clearQueues().addAllQueues(queues);

    PlanConfigurationResponse plan =
        admin().planConfiguration(request().setAccessConfiguration(rights).build());

    assertThat(plan.getWarningsList())
        .extracting(Warning::getReason, Warning::getField, Warning::getMessage)
        .contains(
            tuple(
                "POLICY_IN_USE",
                "policies[rnd]",
                "policy 'rnd' is removed; 3 jobs of it run on without a reservation, and become"
                    + " drafts if they are preempted"));
    assertThat(
            admin()
                .planConfiguration(request().setAccessConfiguration(rights("1", "9")).build())
                .getWarningsList())
        .as("nothing to warn of")
        .isEmpty();
  }

  @Test
  void expectsWaitsByWhatRunningJobsPromised() {
    PlanConfigurationResponse plan =
        admin().planConfiguration(request().setAccessConfiguration(rights("0", "12")).build());

    // R&D's first job frees its slices within the hour; the limit then decides which job is first.
    PlannedPolicy devops = planned(plan, "devops");
    assertThat(devops.getBefore().getAwaitedJobs()).isEqualTo(1);
    assertThat(devops.getBefore().getWaitP50().getSeconds()).isBetween(3500L, 3600L);
    assertThat(plan.hasKnownAhead()).isFalse();

    // One of two waiting jobs would never fit any more, so its start is unknown.
    submit(alice, submit("rnd-1", "small"));
    awaitState(alice, "small", Job.State.STATE_WAITING);
    PlanConfigurationResponse larger =
        admin().planConfiguration(request().setResourceConfiguration(supply("one", "10")).build());
    PlannedPolicy rnd = planned(larger, "rnd");
    assertThat(rnd.getBefore().hasWaitP99()).isTrue();
    assertThat(rnd.getAfter().getAwaitedJobs()).isEqualTo(2);
    assertThat(rnd.getAfter().hasWaitP50()).isTrue();
    assertThat(rnd.getAfter().hasWaitP99()).isFalse();
  }

  @Test
  void namesAsManyJobsAsAskedForAndCountsTheOthers() {
    for (int i = 0; i < 20; i++) {
      submit(alice, submit("rnd-3", "w-" + i));
    }
    AccessConfiguration withoutQueue =
        rights("0", "9").toBuilder().clearQueues().addAllQueues(queues("rnd-3")).build();

    PlanConfigurationResponse usual =
        admin().planConfiguration(request().setAccessConfiguration(withoutQueue).build());
    PlanConfigurationResponse few =
        admin()
            .planConfiguration(
                request().setAccessConfiguration(withoutQueue).setMaxJobs(2).build());

    assertThat(usual.getDrafts().getTotal()).isEqualTo(21);
    assertThat(usual.getDrafts().getJobsCount()).isEqualTo(10);
    assertThat(few.getDrafts().getTotal()).isEqualTo(21);
    assertThat(few.getDrafts().getJobsList())
        .extracting(PlannedJob::getJob)
        .containsExactly("r-3", "w-0");
    assertThat(few.getDrafts().getJobs(0).getReason().getCode()).isEqualTo("QUEUE_REMOVED");
  }

  @Test
  void tellsJobsThatLoseTheRightToTheirQueue() {
    AccessConfiguration withoutAlice =
        rights("0", "9").toBuilder().setGroups(0, group("rnd", "bob")).build();

    PlanConfigurationResponse plan =
        admin().planConfiguration(request().setAccessConfiguration(withoutAlice).build());

    assertThat(plan.getDrafts().getJobsList())
        .singleElement()
        .satisfies(draft -> {
          assertThat(draft.getJob()).isEqualTo("r-3");
          assertThat(draft.getReason().getCode()).isEqualTo("NOT_ADMITTED");
        });
    assertThat(get(alice, "r-3").getState()).isEqualTo(Job.State.STATE_WAITING);
  }

  @Test
  void theConfigurationInForceChangesNothing() {
    PlanConfigurationResponse plan = admin().planConfiguration(request().build());

    assertThat(plan.getStarts().getTotal()).isZero();
    assertThat(plan.getPreempts().getTotal()).isZero();
    assertThat(plan.getWaits().getTotal()).isZero();
    assertThat(plan.getDrafts().getTotal()).isZero();
    assertThat(plan.getPoliciesList())
        .allSatisfy(policy -> assertThat(policy.getAfter()).isEqualTo(policy.getBefore()));
  }

  @Test
  void isForAdminsOfTheTenant() {
    Refused.by(() ->
            plans(installation.tokens.member("acme", "alice", "rnd"))
                .planConfiguration(request().build()))
        .hasReason(Code.PERMISSION_DENIED, "ROLE_DENIED");
    Refused.by(
            () -> plans(installation.tokens.admin("umbrella")).planConfiguration(request().build()))
        .hasReason(Code.NOT_FOUND, "TENANT_NOT_FOUND");
  }

  @Test
  void refusesAnUnreadablePartAndNamesItsField() {
    Refused.by(() ->
            admin()
                .planConfiguration(
                    request().setResourceConfiguration(supply("three", "three")).build()))
        .hasReason(Code.INVALID_ARGUMENT, "INVALID_CONFIGURATION")
        .names("resource_configuration.profiles[three]", "three");
    Refused.by(() ->
            admin()
                .planConfiguration(request().setAccessConfiguration(rights("5", "many")).build()))
        .hasReason(Code.INVALID_ARGUMENT, "INVALID_CONFIGURATION")
        .names("access_configuration.policies[devops]", "many");
    Refused.by(() -> admin().planConfiguration(request().setMaxJobs(1001).build()))
        .names("max_jobs", "1000");
  }

  private static PlanConfigurationRequest.Builder request() {
    return PlanConfigurationRequest.newBuilder().setParent(ACME);
  }

  private PlanServiceBlockingStub admin() {
    return plans(installation.tokens.admin("acme"));
  }

  private PlanServiceBlockingStub plans(String token) {
    return PlanServiceGrpc.newBlockingStub(installation.channel(token));
  }

  private static PlannedPolicy planned(PlanConfigurationResponse plan, String policy) {
    return plan.getPoliciesList().stream()
        .filter(each -> each.getPolicy().equals(policy))
        .findFirst()
        .orElseThrow();
  }

  /// The example's rights, but for those of DevOps.
  private static AccessConfiguration rights(String reservation, String limit) {
    return access(
        List.of(group("rnd", "alice"), group("devops", "eve")),
        List.of(policy("rnd", "rnd", "5", "9"), policy("devops", "devops", reservation, limit)),
        queues(""));
  }

  private static List<Queue> queues(String without) {
    return List.of(
            queue("rnd-3", "rnd", "three", 1),
            queue("rnd-1", "rnd", "one", 1),
            queue("devops-3", "devops", "three", 1),
            queue("devops-2", "devops", "two", 1))
        .stream()
        .filter(queue -> !queue.getName().endsWith("/" + without))
        .toList();
  }

  /// The example's supply, with one profile as given.
  private static ResourceConfiguration supply(String name, String gpus) {
    return resources(
        List.of(pool("onprem")),
        List.of(
            profile("three", name.equals("three") ? gpus : "3", "onprem"),
            profile("two", "2", "onprem"),
            profile("one", name.equals("one") ? gpus : "1", "onprem")));
  }
}
