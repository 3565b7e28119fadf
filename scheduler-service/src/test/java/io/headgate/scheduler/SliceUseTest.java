package io.headgate.scheduler;

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

import io.headgate.kit.db.Database;
import io.headgate.kit.db.DatabaseConfig;
import io.headgate.kit.testing.PostgresFixture;
import io.headgate.proto.agent.v1.AttemptReport;
import io.headgate.proto.agent.v1.ConnectRequest;
import io.headgate.proto.agent.v1.Heartbeat;
import io.headgate.proto.agent.v1.UseReport;
import io.headgate.proto.scheduler.v1.Job;
import io.headgate.proto.scheduler.v1.JobServiceGrpc.JobServiceBlockingStub;
import io.headgate.proto.scheduler.v1.SliceUse;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/// The use that jobs make of their slices is shown while they run and kept with their attempts.
final class SliceUseTest {
  @RegisterExtension static final PostgresFixture POSTGRES = PostgresFixture.of("scheduler");

  private final DatabaseConfig database = POSTGRES.fresh();
  private final Installation installation = new Installation(database);
  private JobServiceBlockingStub alice;
  private FakeAgent agent;

  @BeforeEach
  void start() {
    installation.neighbours.provision(
        resources(List.of(pool("onprem")), List.of(profile("one", "1", "onprem"))));
    installation.neighbours.grant(
        access(
            List.of(group("rnd", "alice")),
            List.of(policy("rnd", "rnd", "0", "4")),
            List.of(queue("rnd-1", "rnd", "one", 1))));
    installation.neighbours.register(node("a-0", "onprem", 4));
    installation.start().awaitReady("rnd-1");
    alice = installation.alice();
    agent = installation.agent("a-0").connect();
    submit(alice, submit("rnd-1", "b"));
    agent.awaitRunning(alice, "b");
    agent.awaitAcknowledged();
  }

  @AfterEach
  void stop() {
    installation.close();
  }

  private SliceUse use() {
    return get(alice, "b").getAttempts(0).getUse();
  }

  private void used(long busyMillis, long measuredMillis) {
    AttemptReport of = Objects.requireNonNull(agent.ledger().get("b"));
    agent.send(
        ConnectRequest.newBuilder()
            .setHeartbeat(
                Heartbeat.newBuilder()
                    .setNumber(1)
                    .addUses(
                        UseReport.newBuilder()
                            .setJob(of.getJob())
                            .setUid(of.getUid())
                            .setAttempt(of.getAttempt())
                            .setWorker(of.getWorker())
                            .setBusyMillis(busyMillis)
                            .setMeasuredMillis(measuredMillis)
                            .setUtilization(0.5)
                            .setMemoryBytes(7)))
            .build());
  }

  private void awaitUse(long busyMillis, long measuredMillis) {
    FakeAgent.awaitThat(
        () -> use().getBusyMillis() == busyMillis && use().getMeasuredMillis() == measuredMillis);
  }

  @Test
  void isShownWhileTheJobRunsAndItsSumIsKeptAfterwards() {
    assertThat(get(alice, "b").getAttempts(0).hasUse()).as("before a report").isFalse();
    used(6_000, 10_000);
    awaitUse(6_000, 10_000);
    assertThat(use().getUtilization()).isEqualTo(0.5);
    assertThat(use().getMemoryBytes()).isEqualTo(7);

    used(9_000, 20_000);
    agent.exits("b", 0);
    awaitState(alice, "b", Job.State.STATE_DONE);
    assertThat(use())
        .isEqualTo(SliceUse.newBuilder().setBusyMillis(9_000).setMeasuredMillis(20_000).build());
  }

  @Test
  void neverGetsLessWhenAnAgentCountsAnew() {
    used(6_000, 10_000);
    awaitUse(6_000, 10_000);
    used(1_000, 1_000);
    used(7_000, 12_000);
    awaitUse(7_000, 12_000);
    used(100, 200);
    agent.exits("b", 0);
    awaitState(alice, "b", Job.State.STATE_DONE);
    assertThat(use().getBusyMillis()).isEqualTo(7_000);
  }

  @Test
  void isNeverBusierThanWhatWasMeasured() {
    used(9_000, 5_000);
    awaitUse(5_000, 5_000);
  }

  @Test
  void costsNoBatch() {
    long before = lastBatch();
    for (int i = 1; i <= 1_000; i++) {
      used(i, i * 2L);
    }
    awaitUse(1_000, 2_000);
    assertThat(lastBatch() - before).isLessThan(10);
  }

  private long lastBatch() {
    try (Database opened = Database.open(database.asOwner())) {
      return opened.jooq().fetchSingle("select last_batch from leadership").getValue(0, Long.class);
    }
  }
}
