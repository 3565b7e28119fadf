package io.headgate.scheduler;

import static io.headgate.scheduler.Fixtures.ACME;
import static io.headgate.scheduler.Fixtures.submit;
import static io.headgate.scheduler.Installation.awaitState;
import static io.headgate.scheduler.Installation.get;
import static io.headgate.scheduler.Installation.submit;
import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.Status.Code;
import io.headgate.kit.db.Database;
import io.headgate.kit.db.DatabaseConfig;
import io.headgate.kit.testing.PostgresFixture;
import io.headgate.proto.agent.v1.Assign;
import io.headgate.proto.scheduler.v1.Array;
import io.headgate.proto.scheduler.v1.ArrayProgress;
import io.headgate.proto.scheduler.v1.CancelJobRequest;
import io.headgate.proto.scheduler.v1.CancelJobsRequest;
import io.headgate.proto.scheduler.v1.CopyNumber;
import io.headgate.proto.scheduler.v1.Dependency;
import io.headgate.proto.scheduler.v1.ExplainJobRequest;
import io.headgate.proto.scheduler.v1.Job;
import io.headgate.proto.scheduler.v1.JobFilter;
import io.headgate.proto.scheduler.v1.JobServiceGrpc.JobServiceBlockingStub;
import io.headgate.proto.scheduler.v1.ListJobsRequest;
import io.headgate.proto.scheduler.v1.ReadJobLogsRequest;
import io.headgate.proto.scheduler.v1.RequeueJobRequest;
import io.headgate.proto.scheduler.v1.RequeueJobsRequest;
import io.headgate.proto.scheduler.v1.SubmitJobRequest;
import io.headgate.proto.scheduler.v1.UpdateJobRequest;
import java.util.List;
import org.jooq.impl.DSL;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/// Arrays of equal jobs, through the whole service.
final class ArraysTest {
  @RegisterExtension static final PostgresFixture POSTGRES = PostgresFixture.of("scheduler");

  private DatabaseConfig database;
  private Installation installation;
  private JobServiceBlockingStub alice;
  private FakeAgent agent;

  @BeforeEach
  void start() {
    database = POSTGRES.fresh();
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

  private static SubmitJobRequest array(String id, int size, int maxParallel) {
    SubmitJobRequest.Builder request = submit("rnd-1", id).toBuilder();
    request.getSpecBuilder().setArray(Array.newBuilder().setSize(size).setMaxParallel(maxParallel));
    return request.build();
  }

  private List<String> ids(String ofArray) {
    return alice
        .listJobs(
            ListJobsRequest.newBuilder()
                .setParent(ACME)
                .setFilter(JobFilter.newBuilder().setArray(ofArray))
                .build())
        .getJobsList()
        .stream()
        .map(job -> FakeAgent.id(job.getName()))
        .sorted()
        .toList();
  }

  private ArrayProgress progress(String array) {
    return get(alice, array).getArrayProgress();
  }

  private Job cancel(String job) {
    return alice.cancelJob(CancelJobRequest.newBuilder().setName(ACME + "/jobs/" + job).build());
  }

  private Job requeue(String job) {
    return alice.requeueJob(RequeueJobRequest.newBuilder().setName(ACME + "/jobs/" + job).build());
  }

  private void awaitRunning(String... jobs) {
    for (String job : jobs) {
      awaitState(alice, job, Job.State.STATE_RUNNING);
    }
  }

  @Test
  void anArrayIsOneJobInAListAndRunsAsManyElementsAsItMay() {
    submit(alice, array("sweep", 5, 2));
    awaitRunning("sweep.1", "sweep.2");
    assertThat(ids("")).containsExactly("sweep");
    assertThat(ids("sweep")).containsExactly("sweep.1", "sweep.2");
    Job array = awaitState(alice, "sweep", Job.State.STATE_RUNNING);
    assertThat(array.getArrayProgress())
        .isEqualTo(ArrayProgress.newBuilder().setNotStarted(3).setActive(2).build());
    assertThat(array.getSpec().getArray())
        .isEqualTo(Array.newBuilder().setSize(5).setMaxParallel(2).build());

    // One that has not started is a number, and stands as its array does.
    Job fourth = get(alice, "sweep.4");
    assertThat(fourth.getState()).isEqualTo(Job.State.STATE_WAITING);
    assertThat(fourth.getReason().getCode()).isEqualTo("MAX_PARALLEL");
    assertThat(fourth.getElement().getArray()).isEqualTo("sweep");
    assertThat(fourth.getElement().getNumber()).isEqualTo(4);
    assertThat(explain("sweep.4")).contains("2 elements of the array are under way");
    assertThat(explain("sweep")).contains("sweep");
    Refused.by(() -> get(alice, "sweep.6")).hasReason(Code.NOT_FOUND, "JOB_NOT_FOUND");

    Assign assign = agent.awaitAssign("sweep.2");
    assertThat(assign.getEnvironmentMap())
        .containsEntry("HEADGATE_ARRAY", "sweep")
        .containsEntry("HEADGATE_INDEX", "2")
        .containsEntry("HEADGATE_COUNT", "5");
    assertThat(get(alice, "sweep.2").getSpec().getCopyNumber())
        .isEqualTo(CopyNumber.newBuilder().setIndex(2).setCount(5).build());

    agent.exits("sweep.1", 0);
    awaitRunning("sweep.3");
    agent.exits("sweep.2", 3);
    awaitRunning("sweep.4");
    agent.exits("sweep.3", 0);
    agent.exits("sweep.4", 0);
    awaitRunning("sweep.5");
    agent.exits("sweep.5", 0);
    awaitState(alice, "sweep", Job.State.STATE_FAILED);
    assertThat(progress("sweep"))
        .isEqualTo(ArrayProgress.newBuilder().setDone(4).setFailed(1).build());
    assertThat(explain("sweep")).isEqualTo("sweep failed (of 5 elements: 4 done, 1 failed).");

    // The element that failed runs again, and the array with it.
    requeue("sweep.2");
    awaitRunning("sweep.2", "sweep");
    agent.exits("sweep.2", 0);
    awaitState(alice, "sweep", Job.State.STATE_DONE);
    assertThat(get(alice, "sweep.2").getAttemptsCount()).isEqualTo(2);
  }

  private String explain(String job) {
    return alice
        .explainJob(ExplainJobRequest.newBuilder().setName(ACME + "/jobs/" + job).build())
        .getVerdict();
  }

  @Test
  void anArrayGoesOnAfterTheDeathOfTheLeader() {
    submit(alice, array("sweep", 6, 2));
    awaitRunning("sweep.1", "sweep.2");
    agent.exits("sweep.1", 1);
    awaitRunning("sweep.3");
    cancel("sweep.5");
    awaitState(alice, "sweep.5", Job.State.STATE_CANCELLED);
    agent.awaitAcknowledged();
    ArrayProgress before = progress("sweep");
    assertThat(before)
        .isEqualTo(
            ArrayProgress.newBuilder()
                .setNotStarted(2)
                .setActive(2)
                .setFailed(1)
                .setCancelled(1)
                .build());

    installation.kill();
    installation.start();
    FakeAgent.awaitThat(installation.service()::isLeading);
    agent.connect();
    assertThat(progress("sweep")).isEqualTo(before);
    agent.exits("sweep.2", 0);
    awaitRunning("sweep.4");
    agent.exits("sweep.3", 0);
    awaitRunning("sweep.6");
    agent.exits("sweep.4", 0);
    agent.exits("sweep.6", 0);
    awaitState(alice, "sweep", Job.State.STATE_FAILED);
    assertThat(progress("sweep"))
        .isEqualTo(ArrayProgress.newBuilder().setDone(4).setFailed(1).setCancelled(1).build());
    assertThat(agent.begun()).hasSize(5).doesNotContainKey("sweep.5");
  }

  @Test
  void aCancelledArrayStopsItsElementsAndARequeueStartsTheRest() {
    submit(alice, array("sweep", 4, 2));
    awaitRunning("sweep.1", "sweep.2");
    cancel("sweep");
    awaitState(alice, "sweep", Job.State.STATE_CANCELLED);
    assertThat(get(alice, "sweep.2").getState()).isEqualTo(Job.State.STATE_CANCELLED);
    assertThat(get(alice, "sweep.3").getState()).isEqualTo(Job.State.STATE_CANCELLED);
    requeue("sweep");
    awaitRunning("sweep.3", "sweep.4");
    agent.exits("sweep.3", 0);
    agent.exits("sweep.4", 0);
    awaitState(alice, "sweep", Job.State.STATE_CANCELLED);
    assertThat(progress("sweep"))
        .isEqualTo(ArrayProgress.newBuilder().setDone(2).setCancelled(2).build());
    Refused.by(() -> requeue("sweep")).hasReason(Code.FAILED_PRECONDITION, "NOT_REQUEUABLE");
  }

  @Test
  void elementsOfAnArrayAreChangedTogether() {
    submit(alice, array("sweep", 4, 0));
    submit(alice, submit("rnd-1", "other"));
    awaitRunning("sweep.1", "sweep.2", "sweep.3", "sweep.4", "other");
    agent.exits("sweep.2", 1);
    agent.exits("sweep.3", 1);
    awaitState(alice, "sweep.3", Job.State.STATE_FAILED);
    JobFilter ofSweep = JobFilter.newBuilder().setArray("sweep").build();
    assertThat(
            alice
                .requeueJobs(
                    RequeueJobsRequest.newBuilder()
                        .setParent(ACME)
                        .setFilter(ofSweep.toBuilder().addStates(Job.State.STATE_FAILED))
                        .build())
                .getChanged())
        .isEqualTo(2);
    awaitRunning("sweep.2", "sweep.3");
    assertThat(
            alice
                .cancelJobs(
                    CancelJobsRequest.newBuilder().setParent(ACME).setFilter(ofSweep).build())
                .getChanged())
        .isEqualTo(4);
    awaitState(alice, "sweep", Job.State.STATE_CANCELLED);
    assertThat(get(alice, "other").getState()).isEqualTo(Job.State.STATE_RUNNING);
    Refused.by(() -> ids("other"))
        .hasReason(Code.INVALID_ARGUMENT, "NOT_AN_ARRAY")
        .names("filter.array", "other");
  }

  @Test
  void anArrayOfManyTakesOneRowUntilItsElementsStart() {
    submit(alice, array("many", 100_000, 0));
    // Nine fit the limit of the group.
    awaitRunning("many.9");
    awaitState(alice, "many", Job.State.STATE_RUNNING);
    assertThat(rows("job")).isEqualTo(10);
    assertThat(rows("job_spec")).isEqualTo(1);
    assertThat(get(alice, "many.99999").getState()).isEqualTo(Job.State.STATE_WAITING);
    cancel("many.99999");
    awaitState(alice, "many.99999", Job.State.STATE_CANCELLED);
    assertThat(rows("job")).isEqualTo(11);
    Refused.by(() -> submit(alice, array("too-many", 100_001, 0)))
        .hasReason(Code.INVALID_ARGUMENT, "INVALID_FIELD")
        .names("spec.array.size", "less than or equal to 100000");
    Refused.by(() -> submit(alice, array("odd", 5, 6)))
        .hasReason(Code.INVALID_ARGUMENT, "INVALID_SPEC")
        .names("spec.array.max_parallel", "5");
  }

  private int rows(String table) {
    try (Database opened = Database.open(database.asOwner())) {
      return opened.jooq().fetchCount(DSL.table(DSL.name(table)));
    }
  }

  @Test
  void aJobAfterAnArrayWaitsForAllElements() {
    submit(alice, array("sweep", 2, 1));
    SubmitJobRequest.Builder report = submit("rnd-1", "report").toBuilder();
    report.getSpecBuilder().addAfter(Dependency.newBuilder().setJob("sweep"));
    submit(alice, report.build());
    awaitRunning("sweep.1");
    agent.exits("sweep.1", 0);
    awaitRunning("sweep.2");
    assertThat(get(alice, "report").getReason().getCode()).isEqualTo("AFTER_JOB");
    agent.exits("sweep.2", 0);
    awaitRunning("report");
  }

  @Test
  void outputIsThatOfAnElement() {
    submit(alice, array("sweep", 2, 1));
    awaitRunning("sweep.1");
    Refused whole = Refused.by(() -> read("sweep"));
    whole.hasReason(Code.FAILED_PRECONDITION, "IS_ARRAY");
    assertThat(whole.refusal().message())
        .isEqualTo(
            "sweep is an array, and each of its 2 elements has its own output: name one, such as"
                + " sweep.1");
    Refused.by(() -> read("sweep.2")).hasReason(Code.FAILED_PRECONDITION, "NOT_STARTED");
    assertThat(read("sweep.1")).isNotEmpty();
  }

  private String read(String job) {
    StringBuilder all = new StringBuilder();
    alice
        .readJobLogs(ReadJobLogsRequest.newBuilder().setName(ACME + "/jobs/" + job).build())
        .forEachRemaining(piece -> all.append(piece.getData().toStringUtf8()));
    return all.toString();
  }

  @Test
  void aWaitingArrayIsChangedAsAWhole() {
    agent.slowToStart();
    submit(alice, array("sweep", 3, 1));
    alice.updateJob(
        UpdateJobRequest.newBuilder().setName(ACME + "/jobs/sweep").setPriority(10).build());
    assertThat(get(alice, "sweep").getSpec().getPriority()).isEqualTo(10);
    assertThat(get(alice, "sweep.3").getSpec().getPriority()).isEqualTo(10);
    Refused.by(() ->
            alice.updateJob(
                UpdateJobRequest.newBuilder()
                    .setName(ACME + "/jobs/sweep.3")
                    .setPriority(10)
                    .build()))
        .hasReason(Code.FAILED_PRECONDITION, "WRONG_STATE");
  }
}
