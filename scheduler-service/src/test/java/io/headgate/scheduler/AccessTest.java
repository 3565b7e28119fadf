package io.headgate.scheduler;

import static io.headgate.scheduler.Fixtures.ACME;
import static io.headgate.scheduler.Fixtures.access;
import static io.headgate.scheduler.Fixtures.group;
import static io.headgate.scheduler.Fixtures.policy;
import static io.headgate.scheduler.Fixtures.queue;
import static io.headgate.scheduler.Fixtures.spec;
import static io.headgate.scheduler.Fixtures.submit;
import static io.headgate.scheduler.Installation.awaitState;
import static io.headgate.scheduler.Installation.get;
import static io.headgate.scheduler.Installation.submit;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.grpc.Status.Code;
import io.grpc.StatusRuntimeException;
import io.headgate.kit.testing.PostgresFixture;
import io.headgate.kit.testing.TestTokens;
import io.headgate.proto.agent.v1.Assign;
import io.headgate.proto.agent.v1.AttemptReport.EndReason;
import io.headgate.proto.policy.v1.AccessConfiguration.Visibility;
import io.headgate.proto.policy.v1.Vault;
import io.headgate.proto.scheduler.v1.AbortCallback;
import io.headgate.proto.scheduler.v1.CancelJobRequest;
import io.headgate.proto.scheduler.v1.Event;
import io.headgate.proto.scheduler.v1.GetJobRequest;
import io.headgate.proto.scheduler.v1.Job;
import io.headgate.proto.scheduler.v1.JobServiceGrpc.JobServiceBlockingStub;
import io.headgate.proto.scheduler.v1.JobSpec;
import io.headgate.proto.scheduler.v1.ListEventsRequest;
import io.headgate.proto.scheduler.v1.ListJobsRequest;
import io.headgate.proto.scheduler.v1.RequeueJobRequest;
import io.headgate.proto.scheduler.v1.SubmitJobRequest;
import io.headgate.proto.type.v1.Container;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/// Rights to submit, see and stop jobs, and the fate of jobs whose submitters lose their rights.
final class AccessTest {
  @RegisterExtension static final PostgresFixture POSTGRES = PostgresFixture.of("scheduler");

  private Installation installation;
  private TestTokens tokens;

  @BeforeEach
  void start() {
    installation = new Installation(POSTGRES.fresh());
    tokens = installation.tokens;
    Fixtures.seedExample(installation.neighbours);
    installation.start().awaitReady("rnd-3");
  }

  @AfterEach
  void stop() {
    installation.close();
  }

  /// Alice is a member of devops then, so that she still sees her jobs.
  private void grant(List<String> rndUsers, String... queues) {
    installation.neighbours.grant(
        access(
            List.of(group("rnd", rndUsers.toArray(new String[0])), group("devops", "eve", "alice")),
            List.of(policy("rnd", "rnd", "5", "9"), policy("devops", "devops", "5", "9")),
            List.of(queues).stream().map(id -> queue(id, "rnd", "three", 1)).toList()));
  }

  private void lock(Vault... vaults) {
    installation.neighbours.grant(
        access(
                List.of(group("rnd", "alice"), group("devops", "eve")),
                List.of(policy("rnd", "rnd", "5", "9"), policy("devops", "devops", "5", "9")),
                List.of(queue("rnd-3", "rnd", "three", 1), queue("ops-3", "devops", "three", 1)))
            .toBuilder()
            .addAllVaults(List.of(vaults))
            .build());
  }

  private static Vault.Builder vault(String id) {
    return Vault.newBuilder().setName(ACME + "/vaults/" + id);
  }

  private static boolean isRefused(JobServiceBlockingStub jobs, SubmitJobRequest submission) {
    try {
      return jobs.submitJob(submission.toBuilder().setValidateOnly(true).build()) == null;
    } catch (StatusRuntimeException e) {
      return e.getStatus().getCode() == Code.NOT_FOUND;
    }
  }

  @Test
  void admitsMembersOfThePolicysGroupAndAdmins() {
    assertThat(submit(installation.alice(), submit("rnd-3"))).isEqualTo("rnd-3-1");
    assertThat(submit(installation.jobs(tokens.admin("acme")), submit("rnd-3")))
        .isEqualTo("rnd-3-2");
    assertThat(submit(installation.jobs(tokens.operator()), submit("rnd-3"))).isEqualTo("rnd-3-3");
    Refused.by(() -> installation.eve().submitJob(submit("rnd-3")))
        .hasReason(Code.NOT_FOUND, "QUEUE_NOT_FOUND")
        .names("spec.queue", "rnd-3");
    // The groups in the token count for nothing: rights come from the configuration.
    JobServiceBlockingStub boaster = installation.jobs(tokens.member("acme", "eve", "rnd"));
    Refused.by(() -> boaster.submitJob(submit("rnd-3")))
        .hasReason(Code.NOT_FOUND, "QUEUE_NOT_FOUND");
  }

  /// Neither its own jobs, nor those of an open tenant.
  @Test
  void showsNothingToAMemberWithoutAnyGroup() {
    String job = submit(installation.alice(), submit("rnd-3"));
    assertThat(names(installation.alice())).containsExactly(ACME + "/jobs/" + job);
    for (Visibility visibility :
        List.of(Visibility.VISIBILITY_UNSPECIFIED, Visibility.VISIBILITY_TENANT)) {
      installation.neighbours.grant(
          access(
                  List.of(group("rnd", "bob"), group("devops", "eve")),
                  List.of(policy("rnd", "rnd", "5", "9"), policy("devops", "devops", "5", "9")),
                  List.of(queue("rnd-3", "rnd", "three", 1)))
              .toBuilder()
              .setVisibility(visibility)
              .build());
      await().untilAsserted(() -> assertThat(names(installation.alice())).isEmpty());
      Refused.by(() -> get(installation.alice(), job)).hasReason(Code.NOT_FOUND, "JOB_NOT_FOUND");
      assertThat(names(installation.jobs(tokens.member("acme", "bob"))))
          .containsExactly(ACME + "/jobs/" + job);
    }
  }

  private static List<String> names(JobServiceBlockingStub jobs) {
    return jobs
        .listJobs(ListJobsRequest.newBuilder().setParent(ACME).build())
        .getJobsList()
        .stream()
        .map(Job::getName)
        .toList();
  }

  @Test
  void admitsServiceAccountsOfTheGroup() {
    installation.neighbours.grant(
        access(
            List.of(group("rnd", "alice").toBuilder().addServiceAccounts("nightly").build()),
            List.of(policy("rnd", "rnd", "5", "9")),
            List.of(queue("rnd-3", "rnd", "three", 1))));
    JobServiceBlockingStub nightly = installation.jobs(tokens.serviceAccount("acme", "nightly"));
    assertThat(submit(nightly, submit("rnd-3"))).isNotEmpty();
    // A user with the service account's name is a different principal.
    JobServiceBlockingStub namesake = installation.jobs(tokens.member("acme", "nightly"));
    Refused.by(() -> namesake.submitJob(submit("rnd-3")))
        .hasReason(Code.NOT_FOUND, "QUEUE_NOT_FOUND");
  }

  @Test
  void hidesOtherTenantsAsIfTheyWereNotThere() {
    String job = submit(installation.alice(), submit("rnd-3"));
    JobServiceBlockingStub stranger = installation.jobs(tokens.member("umbrella", "mallory"));
    GetJobRequest existing = GetJobRequest.newBuilder().setName(ACME + "/jobs/" + job).build();
    GetJobRequest absent = GetJobRequest.newBuilder().setName(ACME + "/jobs/nobody").build();
    Refused.by(() -> stranger.getJob(existing)).hasReason(Code.NOT_FOUND, "TENANT_NOT_FOUND");
    assertThat(Refused.by(() -> stranger.getJob(existing)).refusal().message())
        .isEqualTo(Refused.by(() -> stranger.getJob(absent)).refusal().message());
    Refused.by(() -> stranger.submitJob(submit("rnd-3")))
        .hasReason(Code.NOT_FOUND, "TENANT_NOT_FOUND");
    Refused.by(() ->
            stranger.cancelJob(CancelJobRequest.newBuilder().setName(existing.getName()).build()))
        .hasReason(Code.NOT_FOUND, "TENANT_NOT_FOUND");
    assertThat(
            stranger
                .listJobs(ListJobsRequest.newBuilder().setParent("tenants/umbrella").build())
                .getJobsList())
        .isEmpty();
  }

  @Test
  void letsOwnersAndAdminsStopAJobAndNobodyElse() {
    grant(List.of("alice", "bob"), "rnd-3");
    JobServiceBlockingStub alice = installation.alice();
    JobServiceBlockingStub mate = installation.jobs(tokens.member("acme", "bob"));
    String job = submit(alice, submit("rnd-3"));
    FakeAgent.awaitThat(() -> !isRefused(mate, submit("rnd-3")));
    CancelJobRequest cancel = CancelJobRequest.newBuilder().setName(ACME + "/jobs/" + job).build();
    Refused.by(() -> mate.cancelJob(cancel))
        .hasReason(Code.PERMISSION_DENIED, "NOT_OWNER")
        .says("owner", "alice");
    Refused.by(() -> installation.eve().cancelJob(cancel))
        .hasReason(Code.NOT_FOUND, "JOB_NOT_FOUND");
    assertThat(get(mate, job).getState()).isEqualTo(Job.State.STATE_WAITING);
    assertThat(installation.jobs(tokens.admin("acme")).cancelJob(cancel).getState())
        .isEqualTo(Job.State.STATE_CANCELLED);
    assertThat(alice.cancelJob(cancel).getState()).isEqualTo(Job.State.STATE_CANCELLED);
  }

  @Test
  void showsAnEnvironmentToItsOwnerAndAdminsOnly() {
    JobServiceBlockingStub alice = installation.alice();
    String job =
        submit(
            alice,
            submit("rnd-3").toBuilder()
                .setSpec(spec("rnd-3").toBuilder().putEnvironment("TOKEN", "hunter2"))
                .build());
    assertThat(get(alice, job).getSpec().getEnvironmentMap()).containsEntry("TOKEN", "hunter2");
    assertThat(get(installation.jobs(tokens.admin("acme")), job).getSpec().getEnvironmentMap())
        .hasSize(1);
    grant(List.of("alice", "bob"), "rnd-3");
    JobServiceBlockingStub mate = installation.jobs(tokens.member("acme", "bob"));
    FakeAgent.awaitThat(() -> !isRefused(mate, submit("rnd-3")));
    assertThat(get(mate, job).getSpec().getEnvironmentMap()).isEmpty();
    assertThat(
            alice
                .listJobs(ListJobsRequest.newBuilder().setParent(ACME).build())
                .getJobs(0)
                .getSpec()
                .getEnvironmentMap())
        .isEmpty();
  }

  @Test
  void makesDraftsOfWaitingJobsWhoseQueueIsRemoved() {
    JobServiceBlockingStub alice = installation.alice();
    String job = submit(alice, submit("rnd-3"));
    grant(List.of("alice"), "rnd-new");
    Job draft = awaitState(alice, job, Job.State.STATE_DRAFT);
    assertThat(draft.getReason().getCode()).isEqualTo("QUEUE_REMOVED");
    RequeueJobRequest requeue = RequeueJobRequest.newBuilder().setName(draft.getName()).build();
    Refused.by(() -> alice.requeueJob(requeue)).hasReason(Code.NOT_FOUND, "QUEUE_NOT_FOUND");
    grant(List.of("alice"), "rnd-new", "rnd-3");
    assertThat(alice.requeueJob(requeue).getState()).isEqualTo(Job.State.STATE_WAITING);
  }

  @Test
  void letsAJobRunOnWhoseSubmittersRightsGoButDoesNotStartItAgain() {
    JobServiceBlockingStub alice = installation.alice();
    FakeAgent agent = installation.agent("a-0").connect().slowToStop();
    String hers = submit(alice, submit("rnd-3"));
    String next = submit(alice, submit("rnd-3"));
    awaitState(alice, hers, Job.State.STATE_RUNNING);
    awaitState(alice, next, Job.State.STATE_RUNNING);
    alice.requeueJob(RequeueJobRequest.newBuilder().setName(ACME + "/jobs/" + hers).build());
    agent.awaitStop(hers);
    grant(List.of("bob"), "rnd-3");
    FakeAgent.awaitThat(() -> isRefused(alice, submit("rnd-3")));
    agent.ends(hers, EndReason.END_REASON_STOPPED);
    Job draft = awaitState(alice, hers, Job.State.STATE_DRAFT);
    assertThat(draft.getReason().getCode()).isEqualTo("NOT_ADMITTED");
    assertThat(get(alice, next).getState()).isEqualTo(Job.State.STATE_RUNNING);
  }

  private void demote(String... admins) {
    installation.neighbours.grant(
        access(
                List.of(group("rnd", "alice")),
                List.of(policy("rnd", "rnd", "5", "9")),
                List.of(queue("rnd-3", "rnd", "three", 1)))
            .toBuilder()
            .addAllAdmins(List.of(admins))
            .setAdminsStated(true)
            .build());
  }

  @Test
  void doesNotStartAJobByARoleThatItsSubmitterLost() {
    demote("admin", "other");
    JobServiceBlockingStub admin = installation.jobs(tokens.admin("acme"));
    JobServiceBlockingStub operator = installation.jobs(tokens.operator());
    String lost = submit(admin, submit("rnd-3"));
    String operators = submit(operator, submit("rnd-3"));
    String members = submit(installation.alice(), submit("rnd-3"));
    demote("other");
    Job draft = awaitState(operator, lost, Job.State.STATE_DRAFT);
    assertThat(draft.getReason().getCode()).isEqualTo("NOT_ADMITTED");
    // Its token says admin for some minutes more.
    Refused.by(() -> admin.submitJob(submit("rnd-3")))
        .hasReason(Code.PERMISSION_DENIED, "NOT_ADMITTED");
    Refused.by(
            () -> admin.requeueJob(RequeueJobRequest.newBuilder().setName(draft.getName()).build()))
        .hasReason(Code.PERMISSION_DENIED, "NOT_ADMITTED");
    FakeAgent agent = installation.agent("a-0").connect();
    agent.awaitAssign(operators);
    agent.awaitAssign(members);
    assertThat(get(operator, lost).getState()).isEqualTo(Job.State.STATE_DRAFT);
    demote("admin");
    FakeAgent.awaitThat(() -> {
      try {
        return admin
                .requeueJob(RequeueJobRequest.newBuilder().setName(draft.getName()).build())
                .getState()
            != Job.State.STATE_DRAFT;
      } catch (StatusRuntimeException e) {
        return false;
      }
    });
    agent.awaitAssign(lost);
  }

  @Test
  void makesDraftsOfWaitingJobsWhoseSubmittersRightsGo() {
    JobServiceBlockingStub alice = installation.alice();
    String hers = submit(alice, submit("rnd-3"));
    String admins = submit(installation.jobs(tokens.admin("acme")), submit("rnd-3"));
    grant(List.of("bob"), "rnd-3");
    Job draft = awaitState(alice, hers, Job.State.STATE_DRAFT);
    assertThat(draft.getReason().getCode()).isEqualTo("NOT_ADMITTED");
    JobServiceBlockingStub admin = installation.jobs(tokens.admin("acme"));
    assertThat(get(admin, admins).getState()).isEqualTo(Job.State.STATE_WAITING);
    Refused.by(
            () -> alice.requeueJob(RequeueJobRequest.newBuilder().setName(draft.getName()).build()))
        .hasReason(Code.PERMISSION_DENIED, "NOT_ADMITTED");
    Refused.by(() ->
            installation
                .jobs(tokens.admin("acme"))
                .requeueJob(RequeueJobRequest.newBuilder().setName(draft.getName()).build()))
        .hasReason(Code.PERMISSION_DENIED, "NOT_ADMITTED");
    // With a node there, it still does not start.
    FakeAgent agent = installation.agent("a-0").connect();
    agent.awaitAssign(admins);
    assertThat(get(alice, hers).getState()).isEqualTo(Job.State.STATE_DRAFT);
  }

  @Test
  void holdsJobsAgainstAllVaultsOfTheirGroup() {
    lock(
        vault("rnd").addGroups("rnd").addCommands("/bin/t*").putEnvironment("PROXY", "a").build(),
        vault("all").addImages("nvcr.io/nvidia/**").build());
    JobServiceBlockingStub alice = installation.alice();
    FakeAgent.awaitThat(() -> isForbidden(alice));
    JobSpec sets = spec("rnd-3").toBuilder().putEnvironment("PROXY", "b").build();
    Refused.by(() -> alice.submitJob(submit("rnd-3").toBuilder().setSpec(sets).build()))
        .hasReason(Code.FAILED_PRECONDITION, "ENVIRONMENT_SET_BY_VAULT")
        .names("spec.environment[PROXY]", "vault 'rnd'", "leave it out")
        .says("vault", "rnd");
    JobSpec saves =
        spec("rnd-3").toBuilder()
            .setAbortCallback(AbortCallback.newBuilder().addCommand("/bin/bash"))
            .build();
    Refused.by(() -> alice.submitJob(submit("rnd-3").toBuilder().setSpec(saves).build()))
        .hasReason(Code.FAILED_PRECONDITION, "COMMAND_NOT_ALLOWED")
        .names("spec.abort_callback.command", "vault 'rnd'", "'/bin/bash'", "only /bin/t*");
    JobSpec contained =
        spec("ops-3").toBuilder()
            .setContainer(Container.newBuilder().setImage("docker.io/busybox"))
            .build();
    Refused.by(() ->
            installation.eve().submitJob(submit("ops-3").toBuilder().setSpec(contained).build()))
        .hasReason(Code.FAILED_PRECONDITION, "IMAGE_NOT_ALLOWED")
        .names("spec.container.image", "vault 'all'", "docker.io/library/busybox:latest");
    JobSpec others =
        spec("ops-3").toBuilder().putEnvironment("PROXY", "b").setCommand(0, "/bin/bash").build();
    assertThat(submit(installation.eve(), submit("ops-3").toBuilder().setSpec(others).build()))
        .as("that vault is not of this group")
        .isNotEmpty();
  }

  @Test
  void startsJobsByTheVaultsAsTheyAreThen() {
    JobServiceBlockingStub alice = installation.alice();
    JobSpec own = spec("rnd-3").toBuilder().putEnvironment("OWN", "1").build();
    String hers = submit(alice, submit("rnd-3").toBuilder().setSpec(own).build());
    String shell =
        submit(
            alice,
            submit("rnd-3").toBuilder()
                .setSpec(spec("rnd-3").toBuilder().setCommand(0, "/bin/bash"))
                .build());
    lock(vault("rnd").addCommands("/bin/true").putEnvironment("PROXY", "a").build());
    Job draft = awaitState(alice, shell, Job.State.STATE_DRAFT);
    FakeAgent agent = installation.agent("a-0").connect();
    Assign started = agent.awaitAssign(hers);
    assertThat(started.getEnvironmentMap())
        .containsExactlyInAnyOrderEntriesOf(Map.of("OWN", "1", "PROXY", "a"));
    assertThat(started.getMaskedVariablesList())
        .as("the agent masks what comes from a vault, and nothing else")
        .containsExactly("PROXY");
    assertThat(draft.getReason().getCode()).isEqualTo("COMMAND_NOT_ALLOWED");
    assertThat(draft.getReason().getMessage()).contains("vault 'rnd'", "'/bin/bash'", "requeue");
    assertThat(
            alice
                .listEvents(ListEventsRequest.newBuilder().setParent(ACME).build())
                .getEventsList())
        .extracting(Event::getMessage)
        .anyMatch(text -> text.contains("is a draft now: vault 'rnd'"));
    RequeueJobRequest requeue = RequeueJobRequest.newBuilder().setName(draft.getName()).build();
    Refused.by(() -> alice.requeueJob(requeue))
        .hasReason(Code.FAILED_PRECONDITION, "COMMAND_NOT_ALLOWED");
    assertThat(agent.assigns()).extracting(Assign::getJob).doesNotContain(draft.getName());
    lock();
    alice.requeueJob(requeue);
    agent.awaitAssign(shell);
  }

  private static boolean isForbidden(JobServiceBlockingStub jobs) {
    try {
      JobSpec bash = spec("rnd-3").toBuilder().setCommand(0, "/bin/bash").build();
      return jobs.submitJob(submit("rnd-3").toBuilder().setSpec(bash).setValidateOnly(true).build())
          == null;
    } catch (StatusRuntimeException e) {
      return e.getStatus().getCode() == Code.FAILED_PRECONDITION;
    }
  }
}
