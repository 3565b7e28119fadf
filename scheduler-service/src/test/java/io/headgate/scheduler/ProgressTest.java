package io.headgate.scheduler;

import static io.headgate.scheduler.Fixtures.ACME;
import static io.headgate.scheduler.Fixtures.access;
import static io.headgate.scheduler.Fixtures.group;
import static io.headgate.scheduler.Fixtures.node;
import static io.headgate.scheduler.Fixtures.policy;
import static io.headgate.scheduler.Fixtures.pool;
import static io.headgate.scheduler.Fixtures.profile;
import static io.headgate.scheduler.Fixtures.queue;
import static io.headgate.scheduler.Fixtures.resources;
import static io.headgate.scheduler.Fixtures.submit;
import static io.headgate.scheduler.Installation.awaitState;
import static io.headgate.scheduler.Installation.get;
import static io.headgate.scheduler.Installation.submit;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.util.Durations;
import com.google.protobuf.util.Timestamps;
import io.headgate.kit.db.Database;
import io.headgate.kit.db.DatabaseConfig;
import io.headgate.kit.testing.PostgresFixture;
import io.headgate.proto.agent.v1.AttemptReport;
import io.headgate.proto.agent.v1.ConnectRequest;
import io.headgate.proto.agent.v1.Heartbeat;
import io.headgate.proto.agent.v1.ProgressReport;
import io.headgate.proto.scheduler.v1.Attempt;
import io.headgate.proto.scheduler.v1.ExplainJobRequest;
import io.headgate.proto.scheduler.v1.Job;
import io.headgate.proto.scheduler.v1.JobServiceGrpc.JobServiceBlockingStub;
import java.util.List;
import java.util.Objects;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/// Progress that programs report: which agent may report it, its cost, and its effect on
/// preemption.
final class ProgressTest {
  @RegisterExtension static final PostgresFixture POSTGRES = PostgresFixture.of("scheduler");

  private final DatabaseConfig database = POSTGRES.fresh();
  private final Installation installation = new Installation(database);
  private JobServiceBlockingStub alice;
  private FakeAgent agent;

  @BeforeEach
  void start() {
    installation.neighbours.provision(
        resources(
            List.of(pool("onprem").toBuilder().addProfileOrder("two").build()),
            List.of(
                profile("three", "3", "onprem"),
                profile("two", "2", "onprem"),
                profile("one", "1", "onprem"))));
    installation.neighbours.grant(
        access(
            List.of(group("rnd", "alice"), group("devops", "eve")),
            List.of(policy("rnd", "rnd", "0", "4"), policy("devops", "devops", "4", "4")),
            List.of(
                queue("rnd-2", "rnd", "two", 1),
                queue("rnd-1", "rnd", "one", 1),
                queue("devops-3", "devops", "three", 1))));
    installation.neighbours.register(node("a-0", "onprem", 4));
    installation.start().awaitReady("rnd-1");
    alice = installation.alice();
    agent = installation.agent("a-0").connect();
  }

  @AfterEach
  void stop() {
    installation.close();
  }

  private void runs(String queue, String job) {
    submit(alice, submit(queue, job));
    agent.awaitRunning(alice, job);
  }

  private Attempt attempt(String job) {
    return get(alice, job).getAttempts(0);
  }

  private static ProgressReport.Builder about(AttemptReport report) {
    return ProgressReport.newBuilder()
        .setJob(report.getJob())
        .setUid(report.getUid())
        .setAttempt(report.getAttempt())
        .setWorker(report.getWorker());
  }

  private void says(String job, UnaryOperator<ProgressReport.Builder> what) {
    says(agent, what.apply(about(Objects.requireNonNull(agent.ledger().get(job)))));
  }

  private static void says(FakeAgent agent, ProgressReport.Builder report) {
    agent.send(
        ConnectRequest.newBuilder()
            .setHeartbeat(Heartbeat.newBuilder().setNumber(1).addProgress(report))
            .build());
  }

  /// Jobs a (two GPUs), b and c take all four GPUs. A job that needs three gets two from a, and one
  /// from the job that loses less.
  ///
  /// Without checkpoints that would be c, which started last.
  @Test
  void preemptsTheJobWithTheNewestCheckpointAlsoAfterATakeover() {
    runs("rnd-2", "a");
    runs("rnd-1", "b");
    runs("rnd-1", "c");
    says("b", report -> report.setCheckpoint(7).setCheckpointAge(Durations.fromMillis(1)));
    FakeAgent.awaitThat(() -> attempt("b").hasCheckpointTime());
    assertThat(Timestamps.compare(attempt("b").getCheckpointTime(), attempt("c").getStartTime()))
        .isPositive();
    agent.awaitAcknowledged();
    installation.kill();
    installation.start();
    FakeAgent.awaitThat(installation.service()::isLeading);
    agent.connect();

    submit(installation.eve(), submit("devops-3", "x"));
    awaitState(installation.eve(), "x", Job.State.STATE_RUNNING);
    assertThat(agent.stops())
        .extracting(stop -> FakeAgent.id(stop.getJob()))
        .containsOnly("a", "b");
    assertThat(get(alice, "c").getState()).isEqualTo(Job.State.STATE_RUNNING);
    assertThat(attempt("b").hasCheckpointTime()).as("of the ended attempt").isTrue();
  }

  @Test
  void showsTheNewestProgressAndCutsImpossibleTimes() {
    runs("rnd-1", "b");
    says("b", report -> report.setFraction(0.4).setMessage("epoch 3"));
    FakeAgent.awaitThat(() -> attempt("b").hasProgress());
    assertThat(attempt("b").getProgress().getFraction()).isEqualTo(0.4);
    assertThat(attempt("b").getProgress().getMessage()).isEqualTo("epoch 3");
    assertThat(attempt("b").hasCheckpointTime()).isFalse();

    says(
        "b",
        report -> report.setFraction(0.5).setCheckpoint(1).setCheckpointAge(Durations.MAX_VALUE));
    FakeAgent.awaitThat(() -> attempt("b").hasCheckpointTime());
    assertThat(attempt("b").getCheckpointTime()).isEqualTo(attempt("b").getStartTime());

    // An agent that was started again notices the same one late.
    says("b", report -> report.setFraction(0.6).setCheckpoint(1));
    FakeAgent.awaitThat(() -> attempt("b").getProgress().getFraction() == 0.6);
    assertThat(attempt("b").getCheckpointTime()).isEqualTo(attempt("b").getStartTime());
    assertThat(
            alice
                .explainJob(ExplainJobRequest.newBuilder().setName(ACME + "/jobs/b").build())
                .getVerdict())
        .containsPattern("It says that it is 60% done\\. It last saved its work [0-9ms]+ ago\\.$");

    says("b", report -> report.setFraction(1).setCheckpoint(2));
    agent.exits("b", 0);
    awaitState(alice, "b", Job.State.STATE_DONE);
    assertThat(attempt("b").getProgress().getFraction()).as("the last word").isEqualTo(1);
    assertThat(Timestamps.compare(attempt("b").getCheckpointTime(), attempt("b").getStartTime()))
        .isPositive();
  }

  @Test
  void needsNoBatchPerReportAndWakesNoWatch() {
    runs("rnd-1", "b");
    agent.awaitAcknowledged();
    Job before = get(alice, "b");
    long batches = lastBatch();
    for (int i = 1; i <= 1_000; i++) {
      double fraction = i / 1_000.0;
      says("b", report -> report.setFraction(fraction));
    }
    FakeAgent.awaitThat(() -> attempt("b").getProgress().getFraction() == 1);
    assertThat(lastBatch() - batches).isLessThan(100);
    assertThat(get(alice, "b").getVersion()).isEqualTo(before.getVersion());
  }

  private long lastBatch() {
    try (Database opened = Database.open(database.asOwner())) {
      return opened.jooq().fetchSingle("select last_batch from leadership").getValue(0, Long.class);
    }
  }

  @Test
  void ignoresProgressOfOtherNodesAttemptsAndWorkers() {
    installation.neighbours.register(node("z-0", "onprem", 1));
    runs("rnd-1", "b");
    FakeAgent other = installation.agent("z-0").connect();
    AttemptReport own = Objects.requireNonNull(agent.ledger().get("b"));
    says(other, about(own).setFraction(0.1).setCheckpoint(1));
    says(agent, about(own).setUid("another").setFraction(0.2).setCheckpoint(2));
    says(agent, about(own).setAttempt(2).setFraction(0.3).setCheckpoint(3));
    says(agent, about(own).setWorker(1).setFraction(0.4).setCheckpoint(4));
    says(agent, about(own).setFraction(0.5));
    FakeAgent.awaitThat(() -> attempt("b").hasProgress());
    assertThat(attempt("b").getProgress().getFraction()).isEqualTo(0.5);
    assertThat(attempt("b").hasCheckpointTime()).isFalse();
  }
}
