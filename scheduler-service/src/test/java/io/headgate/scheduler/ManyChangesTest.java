package io.headgate.scheduler;

import static io.headgate.scheduler.Fixtures.ACME;
import static io.headgate.scheduler.Fixtures.submit;
import static io.headgate.scheduler.Installation.awaitState;
import static io.headgate.scheduler.Installation.get;
import static io.headgate.scheduler.Installation.submit;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Duration;
import io.grpc.Status.Code;
import io.headgate.kit.db.DatabaseConfig;
import io.headgate.kit.testing.PostgresFixture;
import io.headgate.proto.scheduler.v1.BatchSubmitJobsRequest;
import io.headgate.proto.scheduler.v1.CancelJobsRequest;
import io.headgate.proto.scheduler.v1.ChangeJobsResponse;
import io.headgate.proto.scheduler.v1.Event;
import io.headgate.proto.scheduler.v1.Job;
import io.headgate.proto.scheduler.v1.JobFilter;
import io.headgate.proto.scheduler.v1.JobServiceGrpc.JobServiceBlockingStub;
import io.headgate.proto.scheduler.v1.ListEventsRequest;
import io.headgate.proto.scheduler.v1.RequeueJobRequest;
import io.headgate.proto.scheduler.v1.RequeueJobsRequest;
import io.headgate.proto.scheduler.v1.SubmitJobRequest;
import io.headgate.proto.scheduler.v1.UpdateJobRequest;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/// Changes of many jobs at once, and of waiting jobs.
final class ManyChangesTest {
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

  private void submitLabelled(int count) {
    BatchSubmitJobsRequest.Builder batch = BatchSubmitJobsRequest.newBuilder().setParent(ACME);
    for (int i = 0; i < count; i++) {
      SubmitJobRequest.Builder job = submit("rnd-3").toBuilder().setIdPrefix("sweep");
      job.getSpecBuilder().putLabels("sweep", "7");
      batch.addRequests(job);
    }
    alice.batchSubmitJobs(batch.build());
  }

  private static JobFilter ofSweep() {
    return JobFilter.newBuilder().putLabels("sweep", "7").build();
  }

  private ChangeJobsResponse cancel(boolean countOnly, String token) {
    return alice.cancelJobs(
        CancelJobsRequest.newBuilder()
            .setParent(ACME)
            .setFilter(ofSweep())
            .setReason("wrong data")
            .setValidateOnly(countOnly)
            .setPageToken(token)
            .build());
  }

  @Test
  void allJobsOfALabelAreCancelledTheRunningOnesToo() {
    submitLabelled(10_000);
    submitLabelled(2_500);
    awaitState(alice, "sweep-3", Job.State.STATE_RUNNING);
    submit(alice, submit("rnd-1", "other"));
    ChangeJobsResponse counted = cancel(true, "");
    assertThat(counted.getChanged()).isEqualTo(10_000);
    assertThat(cancel(true, counted.getNextPageToken()).getChanged()).isEqualTo(2_500);
    assertThat(get(alice, "sweep-12500").getState()).isEqualTo(Job.State.STATE_WAITING);

    ChangeJobsResponse first = cancel(false, "");
    assertThat(first.getChanged()).isEqualTo(10_000);
    assertThat(first.getUsersMap()).containsExactly(java.util.Map.entry("alice", 10_000L));
    ChangeJobsResponse second = cancel(false, first.getNextPageToken());
    assertThat(second.getChanged()).isEqualTo(2_500);
    assertThat(second.getNextPageToken()).isEmpty();
    awaitState(alice, "sweep-1", Job.State.STATE_CANCELLED);
    assertThat(get(alice, "sweep-12500").getReason().getMessage())
        .isEqualTo("by alice: wrong data");
    assertThat(get(alice, "other").getState()).isNotEqualTo(Job.State.STATE_CANCELLED);
    assertThat(cancel(false, "").getChanged()).isZero();
  }

  @Test
  void failedJobsRunAgainAndTheOthersSayWhyNot() {
    submitLabelled(3);
    awaitState(alice, "sweep-2", Job.State.STATE_RUNNING);
    agent.exits("sweep-1", 1);
    agent.exits("sweep-2", 1);
    awaitState(alice, "sweep-2", Job.State.STATE_FAILED);
    Refused.by(() -> requeue(ofSweep()))
        .hasReason(Code.INVALID_ARGUMENT, "INVALID_FILTER")
        .names("filter.states", "STATE_FAILED");
    ChangeJobsResponse answer =
        requeue(ofSweep().toBuilder().addStates(Job.State.STATE_FAILED).build());
    assertThat(answer.getChanged()).isEqualTo(2);
    assertThat(answer.getFailed()).isZero();
    awaitState(alice, "sweep-2", Job.State.STATE_RUNNING);
  }

  private ChangeJobsResponse requeue(JobFilter filter) {
    return alice.requeueJobs(
        RequeueJobsRequest.newBuilder().setParent(ACME).setFilter(filter).build());
  }

  @Test
  void aWaitingJobIsChangedAndAskedAgainAfterARestart() {
    submitLabelled(5);
    awaitState(alice, "sweep-3", Job.State.STATE_RUNNING);
    Job changed =
        alice.updateJob(
            UpdateJobRequest.newBuilder()
                .setName(ACME + "/jobs/sweep-5")
                .setPriority(10)
                .setMaxRuntime(Duration.newBuilder().setSeconds(3600))
                .build());
    assertThat(changed.getPosition()).isEqualTo(1);
    assertThat(changed.getSpec().getPriority()).isEqualTo(10);
    Job moved =
        alice.updateJob(
            UpdateJobRequest.newBuilder()
                .setName(ACME + "/jobs/sweep-4")
                .setQueue("rnd-1")
                .build());
    assertThat(moved.getGpus()).isEqualTo("1");
    assertThat(
            alice
                .listEvents(
                    ListEventsRequest.newBuilder().setParent(ACME).setJob("sweep-5").build())
                .getEventsList())
        .extracting(Event::getType, Event::getMessage)
        .contains(
            org.assertj.core.api.Assertions.tuple(
                Event.Type.TYPE_UPDATED,
                "sweep-5 is changed by alice: priority 10, max runtime 1h"));
    agent.awaitAcknowledged();
    installation.kill();
    installation.start();
    FakeAgent.awaitThat(installation.service()::isLeading);
    assertThat(get(alice, "sweep-5").getSpec().getPriority()).isEqualTo(10);
    assertThat(get(alice, "sweep-5").getSpec().getMaxRuntime().getSeconds()).isEqualTo(3600);
    assertThat(get(alice, "sweep-5").getSpec().getCommandList()).containsExactly("/bin/true");
    assertThat(get(alice, "sweep-4").getSpec().getQueue()).isEqualTo("rnd-1");
  }

  @Test
  void aRunningJobCannotBeChanged() {
    submitLabelled(1);
    awaitState(alice, "sweep-1", Job.State.STATE_RUNNING);
    Refused.by(() ->
            alice.updateJob(
                UpdateJobRequest.newBuilder()
                    .setName(ACME + "/jobs/sweep-1")
                    .setPriority(1)
                    .build()))
        .hasReason(Code.FAILED_PRECONDITION, "WRONG_STATE");
    Refused.by(() ->
            alice.updateJob(UpdateJobRequest.newBuilder().setName(ACME + "/jobs/sweep-1").build()))
        .hasReason(Code.INVALID_ARGUMENT, "NOTHING_TO_UPDATE");
  }

  @Test
  void aDraftGoesToAnotherQueueThanItsOwn() {
    SubmitJobRequest.Builder draft = submit("rnd-3", "draft").toBuilder();
    draft.getSpecBuilder().setDraft(true);
    submit(alice, draft.build());
    Refused.by(() -> move("draft", "devops-2")).hasReason(Code.NOT_FOUND, "QUEUE_NOT_FOUND");
    assertThat(move("draft", "rnd-1").getSpec().getQueue()).isEqualTo("rnd-1");
    awaitState(alice, "draft", Job.State.STATE_RUNNING);
    assertThat(get(alice, "draft").getProfile()).isEqualTo("one");
    assertThat(get(alice, "draft").getSpec().getQueue()).isEqualTo("rnd-1");
    Refused.by(() -> move("draft", "rnd-3")).hasReason(Code.FAILED_PRECONDITION, "NOT_REQUEUABLE");
  }

  private Job move(String job, String queue) {
    return alice.requeueJob(
        RequeueJobRequest.newBuilder().setName(ACME + "/jobs/" + job).setQueue(queue).build());
  }
}
