package io.headgate.scheduler;

import static io.headgate.scheduler.Fixtures.ACME;
import static io.headgate.scheduler.Fixtures.submit;
import static io.headgate.scheduler.Installation.awaitState;
import static io.headgate.scheduler.Installation.get;
import static io.headgate.scheduler.Installation.submit;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Timestamp;
import io.grpc.Status.Code;
import io.headgate.kit.db.DatabaseConfig;
import io.headgate.kit.testing.PostgresFixture;
import io.headgate.proto.agent.v1.Assign;
import io.headgate.proto.scheduler.v1.BatchSubmitJobsRequest;
import io.headgate.proto.scheduler.v1.CancelJobRequest;
import io.headgate.proto.scheduler.v1.CopyNumber;
import io.headgate.proto.scheduler.v1.Dependency;
import io.headgate.proto.scheduler.v1.Dependency.Condition;
import io.headgate.proto.scheduler.v1.ExplainJobRequest;
import io.headgate.proto.scheduler.v1.Job;
import io.headgate.proto.scheduler.v1.JobServiceGrpc.JobServiceBlockingStub;
import io.headgate.proto.scheduler.v1.ListJobsRequest;
import io.headgate.proto.scheduler.v1.RequeueJobRequest;
import io.headgate.proto.scheduler.v1.SubmitJobRequest;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/// Jobs that wait for other jobs, through the whole service.
final class DependenciesTest {
  @RegisterExtension static final PostgresFixture POSTGRES = PostgresFixture.of("scheduler");

  private Installation installation;
  private JobServiceBlockingStub alice;
  private FakeAgent agent;

  @BeforeEach
  void start() {
    DatabaseConfig database = POSTGRES.fresh();
    installation = new Installation(database);
    Fixtures.seedExample(installation.neighbours);
    installation.start().awaitReady("rnd-3");
    alice = installation.alice();
    agent = installation.agent("a-0").connect();
  }

  @AfterEach
  void stop() {
    installation.close();
  }

  private static SubmitJobRequest after(String id, String other, Condition condition) {
    SubmitJobRequest.Builder request = submit("rnd-1", id).toBuilder();
    request
        .getSpecBuilder()
        .addAfter(Dependency.newBuilder().setJob(other).setCondition(condition));
    return request.build();
  }

  private String verdict(String job) {
    return alice
        .explainJob(ExplainJobRequest.newBuilder().setName(ACME + "/jobs/" + job).build())
        .getVerdict();
  }

  @Test
  void aChainGoesOnAfterTheDeathOfTheLeader() {
    submit(alice, submit("rnd-1", "prepare"));
    submit(alice, after("train", "prepare", Condition.CONDITION_UNSPECIFIED));
    Job report = get(alice, submit(alice, after("report", "train", Condition.CONDITION_OK)));
    awaitState(alice, "prepare", Job.State.STATE_RUNNING);
    assertThat(report.getState()).isEqualTo(Job.State.STATE_WAITING);
    assertThat(report.getReason().getCode()).isEqualTo("AFTER_JOB");
    assertThat(report.getReason().getMessage())
        .isEqualTo("it starts after train has ended with exit code 0");
    assertThat(report.getPosition()).isZero();
    assertThat(verdict("report")).contains("starts after train has ended with exit code 0");

    agent.awaitAcknowledged();
    installation.kill();
    installation.start();
    FakeAgent.awaitThat(installation.service()::isLeading);
    agent.connect();
    agent.exits("prepare", 0);
    awaitState(alice, "train", Job.State.STATE_RUNNING);
    assertThat(get(alice, "report").getState()).isEqualTo(Job.State.STATE_WAITING);
    agent.exits("train", 0);
    awaitState(alice, "report", Job.State.STATE_RUNNING);
  }

  @Test
  void aJobWhoseDependencyFailedIsCancelledAndSaysWhy() {
    submit(alice, submit("rnd-1", "prepare"));
    submit(alice, after("train", "prepare", Condition.CONDITION_OK));
    submit(alice, after("clean-up", "train", Condition.CONDITION_ANY));
    awaitState(alice, "prepare", Job.State.STATE_RUNNING);
    agent.exits("prepare", 3);
    awaitState(alice, "train", Job.State.STATE_CANCELLED);
    assertThat(get(alice, "train").getReason().getMessage())
        .isEqualTo("it starts only after prepare has ended with exit code 0, and prepare failed");
    assertThat(verdict("train"))
        .isEqualTo(
            "train is cancelled: it starts only after prepare has ended with exit code 0, and"
                + " prepare failed.");
    awaitState(alice, "clean-up", Job.State.STATE_RUNNING);

    // It cannot run again before the other job does.
    Refused.by(() -> requeue("train", false))
        .hasReason(Code.FAILED_PRECONDITION, "DEPENDENCY_NEVER_MET")
        .says("job", "prepare");
    requeue("prepare", false);
    assertThat(requeue("train", false).getReason().getCode()).isEqualTo("AFTER_JOB");
    awaitState(alice, "prepare", Job.State.STATE_RUNNING);
    agent.exits("prepare", 0);
    awaitState(alice, "train", Job.State.STATE_RUNNING);
  }

  @Test
  void aListForeseesTheStartThatAnExplanationForesees() {
    SubmitJobRequest.Builder first = submit("rnd-1", "first").toBuilder();
    first.getSpecBuilder().getMaxRuntimeBuilder().setSeconds(3600);
    submit(alice, first.build());
    awaitState(alice, "first", Job.State.STATE_RUNNING);
    submit(alice, after("second", "first", Condition.CONDITION_OK));
    ListJobsRequest list = ListJobsRequest.newBuilder().setParent(ACME).build();
    assertThat(alice.listJobs(list).getJobsList()).noneMatch(Job::hasExpectedStartTime);
    Job second = alice.listJobs(list.toBuilder().setForeseeStarts(true).build()).getJobs(0);
    assertThat(second.getExpectedStartTime())
        .isEqualTo(
            alice
                .explainJob(ExplainJobRequest.newBuilder().setName(ACME + "/jobs/second").build())
                .getJob()
                .getExpectedStartTime());
    assertThat(second.hasExpectedStartTime()).isTrue();
  }

  @Test
  void aRequeueCanIgnoreTheOtherJobs() {
    submit(alice, submit("rnd-1", "prepare"));
    submit(alice, after("train", "prepare", Condition.CONDITION_OK));
    alice.cancelJob(CancelJobRequest.newBuilder().setName(ACME + "/jobs/prepare").build());
    awaitState(alice, "train", Job.State.STATE_CANCELLED);
    requeue("train", true);
    awaitState(alice, "train", Job.State.STATE_RUNNING);
  }

  private Job requeue(String job, boolean ignoreAfter) {
    return alice.requeueJob(
        RequeueJobRequest.newBuilder()
            .setName(ACME + "/jobs/" + job)
            .setIgnoreAfter(ignoreAfter)
            .build());
  }

  @Test
  void aJobThatHasEndedCountsAsItEnded() {
    submit(alice, submit("rnd-1", "prepare"));
    awaitState(alice, "prepare", Job.State.STATE_RUNNING);
    agent.exits("prepare", 1);
    awaitState(alice, "prepare", Job.State.STATE_FAILED);
    Refused.by(() -> submit(alice, after("train", "prepare", Condition.CONDITION_OK)))
        .hasReason(Code.FAILED_PRECONDITION, "DEPENDENCY_NEVER_MET")
        .names("spec.after[0].job", "prepare failed");
    submit(alice, after("mend", "prepare", Condition.CONDITION_FAIL));
    awaitState(alice, "mend", Job.State.STATE_RUNNING);
  }

  @Test
  void aJobCannotWaitForOneThatItsUserDoesNotSee() {
    submit(installation.eve(), submit("devops-2", "secret"));
    for (String other : List.of("secret", "nothing")) {
      Refused.by(() -> submit(alice, after("train", other, Condition.CONDITION_OK)))
          .hasReason(Code.NOT_FOUND, "JOB_NOT_FOUND")
          .names("spec.after[0].job", other);
    }
  }

  @Test
  void aDraftHasNotEnded() {
    SubmitJobRequest.Builder draft = submit("rnd-1", "prepare").toBuilder();
    draft.getSpecBuilder().setDraft(true);
    submit(alice, draft.build());
    submit(alice, after("train", "prepare", Condition.CONDITION_ANY));
    assertThat(get(alice, "train").getState()).isEqualTo(Job.State.STATE_WAITING);
    alice.cancelJob(CancelJobRequest.newBuilder().setName(ACME + "/jobs/prepare").build());
    awaitState(alice, "train", Job.State.STATE_RUNNING);
  }

  @Test
  void jobsOfABatchMayWaitForEachOtherButNotInACircle() {
    alice.batchSubmitJobs(
        BatchSubmitJobsRequest.newBuilder()
            .setParent(ACME)
            .addRequests(after("second", "first", Condition.CONDITION_OK))
            .addRequests(submit("rnd-1", "first"))
            .build());
    awaitState(alice, "first", Job.State.STATE_RUNNING);
    assertThat(get(alice, "second").getReason().getCode()).isEqualTo("AFTER_JOB");
    agent.exits("first", 0);
    awaitState(alice, "second", Job.State.STATE_RUNNING);

    Refused.by(() ->
            alice.batchSubmitJobs(
                BatchSubmitJobsRequest.newBuilder()
                    .setParent(ACME)
                    .addRequests(after("a", "c", Condition.CONDITION_OK))
                    .addRequests(after("b", "a", Condition.CONDITION_OK))
                    .addRequests(after("c", "b", Condition.CONDITION_OK))
                    .build()))
        .hasReason(Code.FAILED_PRECONDITION, "DEPENDENCY_CYCLE")
        .names("requests[0].spec.after", "a waits for c waits for b, which waits for a");
    Refused.by(() ->
            alice.batchSubmitJobs(
                BatchSubmitJobsRequest.newBuilder()
                    .setParent(ACME)
                    .addRequests(after("a", "a", Condition.CONDITION_OK))
                    .build()))
        .hasReason(Code.FAILED_PRECONDITION, "DEPENDENCY_CYCLE")
        .names("requests[0].spec.after", "waits for itself");
  }

  @Test
  void aJobWithAnEarliestStartSaysSoAndADryRunToo() {
    SubmitJobRequest.Builder request = submit("rnd-1", "later").toBuilder();
    request.getSpecBuilder().setNotBefore(in(Duration.ofHours(1)));
    assertThat(
            alice
                .submitJob(request.clone().setJobId("").setValidateOnly(true).build())
                .getReason()
                .getCode())
        .isEqualTo("NOT_BEFORE");
    request.getSpecBuilder().setNotBefore(in(Duration.ofDays(4000)));
    Refused.by(() -> submit(alice, request.build()))
        .hasReason(Code.INVALID_ARGUMENT, "INVALID_SPEC")
        .names("spec.not_before", "10 years");
  }

  private static Timestamp in(Duration time) {
    return Timestamp.newBuilder().setSeconds(Instant.now().plus(time).getEpochSecond()).build();
  }

  @Test
  void aCopyKnowsItsNumber() {
    SubmitJobRequest.Builder request = submit("rnd-1", "copy").toBuilder();
    request.getSpecBuilder().setCopyNumber(CopyNumber.newBuilder().setIndex(3).setCount(50));
    submit(alice, request.build());
    Assign assign = agent.awaitAssign("copy");
    assertThat(assign.getEnvironmentMap())
        .containsEntry("HEADGATE_INDEX", "3")
        .containsEntry("HEADGATE_COUNT", "50");
  }
}
