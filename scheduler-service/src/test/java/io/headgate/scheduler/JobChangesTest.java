package io.headgate.scheduler;

import static io.headgate.scheduler.Fixtures.ACME;
import static io.headgate.scheduler.Fixtures.submit;
import static io.headgate.scheduler.Installation.awaitState;
import static io.headgate.scheduler.Installation.get;
import static io.headgate.scheduler.Installation.submit;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.grpc.Status.Code;
import io.headgate.proto.agent.v1.AttemptReport.EndReason;
import io.headgate.proto.agent.v1.AttemptReport.State;
import io.headgate.proto.agent.v1.Stop;
import io.headgate.proto.scheduler.v1.Attempt;
import io.headgate.proto.scheduler.v1.CancelJobRequest;
import io.headgate.proto.scheduler.v1.Event;
import io.headgate.proto.scheduler.v1.ExplainJobRequest;
import io.headgate.proto.scheduler.v1.Job;
import io.headgate.proto.scheduler.v1.JobServiceGrpc.JobServiceBlockingStub;
import io.headgate.proto.scheduler.v1.ListEventsRequest;
import io.headgate.proto.scheduler.v1.ReadJobLogsRequest;
import io.headgate.proto.scheduler.v1.ReadJobLogsResponse;
import io.headgate.proto.scheduler.v1.RequeueJobRequest;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/// Cancel, requeue, output, and the ways in which an attempt can end.
final class JobChangesTest {
  @RegisterExtension static final SharedInstallation SHARED = new SharedInstallation();

  private static final Set<Job.State> ENDED =
      EnumSet.of(Job.State.STATE_DONE, Job.State.STATE_FAILED, Job.State.STATE_CANCELLED);

  private JobServiceBlockingStub alice;
  private FakeAgent agent;
  private String job;

  @BeforeEach
  void run() {
    alice = SHARED.get().alice();
    agent = SHARED.agent();
    job = submit(alice, submit("rnd-1", SHARED.fresh("change")));
    agent.awaitAssign(job);
    awaitState(alice, job, Job.State.STATE_RUNNING);
  }

  @AfterEach
  void clearAway() {
    if (!ENDED.contains(get(alice, job).getState())) {
      cancel(true);
      awaitState(alice, job, Job.State.STATE_CANCELLED);
    }
  }

  private List<Event> events() {
    return alice
        .listEvents(ListEventsRequest.newBuilder().setParent(ACME).setJob(job).build())
        .getEventsList();
  }

  @Test
  void tellsByWhomAndWhyAJobWasCancelled() {
    agent.slowToStop();
    CancelJobRequest cancel =
        CancelJobRequest.newBuilder()
            .setName(ACME + "/jobs/" + job)
            .setReason("wrong data set")
            .build();
    alice.cancelJob(cancel);
    agent.awaitStop(job);
    ExplainJobRequest explain =
        ExplainJobRequest.newBuilder().setName(ACME + "/jobs/" + job).build();
    assertThat(alice.explainJob(explain).getVerdict())
        .contains("is stopping")
        .contains("It was cancelled by alice: wrong data set.");
    assertThat(events().getFirst().getMessage())
        .isEqualTo(job + " is stopped because it was cancelled by alice: wrong data set");
    assertThat(get(alice, job).getReason().getMessage()).isEqualTo("by alice: wrong data set");
    agent.quick().ends(job, EndReason.END_REASON_STOPPED);
    awaitState(alice, job, Job.State.STATE_CANCELLED);
    assertThat(alice.explainJob(explain).getVerdict())
        .isEqualTo(job + " is cancelled by alice: wrong data set.");
    assertThat(events().getFirst().getMessage())
        .isEqualTo(job + " is cancelled by alice: wrong data set");
    assertThat(events().getFirst().getDetailMap())
        .containsEntry("by", "alice")
        .containsEntry("reason", "wrong data set");
    // Run again, it is no longer a cancelled job.
    alice.requeueJob(RequeueJobRequest.newBuilder().setName(ACME + "/jobs/" + job).build());
    awaitState(alice, job, Job.State.STATE_RUNNING);
    agent.exits(job, 0);
    awaitState(alice, job, Job.State.STATE_DONE);
    assertThat(events().getFirst().getDetailMap()).doesNotContainKey("by");
  }

  @Test
  void tellsOfEachPhaseOfAStopOnce() {
    agent.slowToStop();
    cancel(false);
    agent.awaitStop(job);
    for (int i = 0; i < 2; i++) {
      agent.report(
          job,
          report ->
              report
                  .setState(State.STATE_STOPPING)
                  .setStopPhase("callback")
                  .setStopPhaseResult("ok"));
    }
    agent.report(job, report -> report.setStopPhase("term").setStopPhaseResult("ok"));
    // The report of the end repeats the last phase.
    agent.quick().ends(job, EndReason.END_REASON_STOPPED);
    awaitState(alice, job, Job.State.STATE_CANCELLED);
    agent.repeatEverything(agent.spoken());
    agent.awaitAcknowledged();
    assertThat(events())
        .filteredOn(event -> event.getType() == Event.Type.TYPE_STOP_PHASE)
        .extracting(event -> event.getDetailOrThrow("phase"))
        .containsExactly("term", "callback");
  }

  private Job cancel(boolean skipCallback) {
    return alice.cancelJob(
        CancelJobRequest.newBuilder()
            .setName(ACME + "/jobs/" + job)
            .setSkipCallback(skipCallback)
            .build());
  }

  private Job requeue() {
    return alice.requeueJob(RequeueJobRequest.newBuilder().setName(ACME + "/jobs/" + job).build());
  }

  @Test
  void stopsARunningJobWhenItIsCancelled() {
    assertThat(cancel(false).getState()).isEqualTo(Job.State.STATE_STOPPING);
    Stop stop = agent.awaitStop(job);
    assertThat(stop.getKind()).isEqualTo(Stop.Kind.KIND_CANCEL);
    assertThat(stop.getSkipCallback()).isFalse();
    Job cancelled = awaitState(alice, job, Job.State.STATE_CANCELLED);
    assertThat(cancelled.getAttempts(0).getOutcome()).isEqualTo(Attempt.Outcome.OUTCOME_CANCELLED);
  }

  @Test
  void skipsTheCallbackWhenAskedTo() {
    cancel(true);
    assertThat(agent.awaitStop(job).getSkipCallback()).isTrue();
    awaitState(alice, job, Job.State.STATE_CANCELLED);
  }

  @Test
  void aNewOrderReplacesTheOrderOfAJobThatIsStopping() {
    agent.slowToStop();
    requeue();
    agent.awaitStop(job);
    cancel(true);
    FakeAgent.awaitThat(() -> agent.awaitStop(job).getKind() == Stop.Kind.KIND_CANCEL);
    assertThat(agent.stops())
        .filteredOn(stop -> stop.getJob().endsWith("/" + job))
        .as("that nothing is called back comes with the new order")
        .extracting(Stop::getKind, Stop::getSkipCallback)
        .containsExactly(tuple(Stop.Kind.KIND_PREEMPT, false), tuple(Stop.Kind.KIND_CANCEL, true));
    agent.quick().ends(job, EndReason.END_REASON_STOPPED);
    awaitState(alice, job, Job.State.STATE_CANCELLED);
  }

  @Test
  void startsARunningJobAnewWhenItIsRequeued() {
    assertThat(requeue().getState()).isEqualTo(Job.State.STATE_STOPPING);
    FakeAgent.awaitThat(() -> get(alice, job).getAttempt() == 2);
    Job again = awaitState(alice, job, Job.State.STATE_RUNNING);
    assertThat(again.getAttemptsList()).hasSize(2);
    assertThat(again.getAttempts(0).getOutcome()).isEqualTo(Attempt.Outcome.OUTCOME_REQUEUED);
    assertThat(agent.awaitAssign(job).getResume()).isTrue();
    assertThat(events())
        .extracting(Event::getMessage)
        .contains(job + " is stopped to wait in its queue again, as alice asked");
  }

  @Test
  void startsAnEndedJobAnewWhenItIsRequeued() {
    agent.exits(job, 1);
    awaitState(alice, job, Job.State.STATE_FAILED);
    requeue();
    Job again = awaitState(alice, job, Job.State.STATE_RUNNING);
    assertThat(again.getAttempt()).isEqualTo(2);
    assertThat(events())
        .extracting(Event::getMessage)
        .contains(job + " waits in its queue, in a new place, as alice asked");
    assertThat(again.hasFinishTime()).isFalse();
    assertThat(again.hasExitCode()).isFalse();
  }

  @Test
  void refusesToRequeueAJobThatIsCancelled() {
    agent.slowToStop();
    cancel(false);
    Refused.by(this::requeue)
        .hasReason(Code.FAILED_PRECONDITION, "NOT_REQUEUABLE")
        .says("state", "STOPPING");
    agent.ends(job, EndReason.END_REASON_STOPPED);
    awaitState(alice, job, Job.State.STATE_CANCELLED);
    agent.quick();
  }

  @Test
  void failsAJobThatPassedItsTimeLimit() {
    agent.ends(job, EndReason.END_REASON_TIME_LIMIT);
    Job late = awaitState(alice, job, Job.State.STATE_FAILED);
    assertThat(late.getAttempts(0).getOutcome()).isEqualTo(Attempt.Outcome.OUTCOME_TIMED_OUT);
    assertThat(late.getAttempts(0).getError()).contains("time limit");
  }

  @Test
  void failsAJobThatHadMoreThanItsSlicesEvenIfItEndedWell() {
    agent.report(
        job,
        report ->
            report
                .setState(State.STATE_ENDED)
                .setEndReason(EndReason.END_REASON_LIMIT_EXCEEDED)
                .setExitCode(0)
                .setError("it used 41 MiB of 40 MiB"));
    Job failed = awaitState(alice, job, Job.State.STATE_FAILED);
    assertThat(failed.getAttempts(0).getError()).isEqualTo("it used 41 MiB of 40 MiB");
  }

  @Test
  void failsAJobThatCannotBeStarted() {
    agent.report(
        job,
        report ->
            report
                .setState(State.STATE_ENDED)
                .setEndReason(EndReason.END_REASON_START_FAILED)
                .setError("no such file: /bin/nope"));
    Job failed = awaitState(alice, job, Job.State.STATE_FAILED);
    assertThat(failed.getAttempts(0).getError()).isEqualTo("no such file: /bin/nope");
  }

  @Test
  void runsAJobAgainWhoseMachineWasShutDownInOrder() {
    agent.ends(job, EndReason.END_REASON_NODE_STOPPED);
    FakeAgent.awaitThat(() -> get(alice, job).getAttempt() == 2);
    assertThat(awaitState(alice, job, Job.State.STATE_RUNNING).getAttempts(0).getOutcome())
        .isEqualTo(Attempt.Outcome.OUTCOME_REQUEUED);
    assertThat(events())
        .extracting(Event::getMessage)
        .contains(job + " waits again in its old place: a-0 was shut down");
  }

  @Test
  void runsALostJobAgain() {
    agent.ends(job, EndReason.END_REASON_LOST);
    FakeAgent.awaitThat(() -> get(alice, job).getAttempt() == 2);
    assertThat(get(alice, job).getAttempts(0).getOutcome()).isEqualTo(Attempt.Outcome.OUTCOME_LOST);
    awaitState(alice, job, Job.State.STATE_RUNNING);
  }

  @Test
  void relaysOutputFromTheAgent() {
    List<ReadJobLogsResponse> pieces = new ArrayList<>();
    alice
        .readJobLogs(
            ReadJobLogsRequest.newBuilder().setName(ACME + "/jobs/" + job).setFollow(true).build())
        .forEachRemaining(pieces::add);
    assertThat(pieces).hasSize(1);
    assertThat(pieces.getFirst().getData().toStringUtf8()).isEqualTo("hello from a-0\n");
    assertThat(pieces.getFirst().getAttempt()).isEqualTo(1);
  }

  @Test
  void refusesOutputOfUnknownAttemptsAndWorkers() {
    ReadJobLogsRequest.Builder request =
        ReadJobLogsRequest.newBuilder().setName(ACME + "/jobs/" + job);
    Refused.by(() -> alice.readJobLogs(request.setAttempt(9).build()).next())
        .hasReason(Code.NOT_FOUND, "ATTEMPT_NOT_FOUND");
    Refused.by(() -> alice.readJobLogs(request.setAttempt(1).setWorker(3).build()).next())
        .hasReason(Code.INVALID_ARGUMENT, "WORKER_NOT_FOUND")
        .names("worker", "3");
  }
}
