package io.headgate.scheduler;

import static io.headgate.scheduler.Fixtures.ACME;
import static io.headgate.scheduler.Fixtures.submit;
import static io.headgate.scheduler.Installation.awaitState;
import static io.headgate.scheduler.Installation.get;
import static io.headgate.scheduler.Installation.submit;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.util.Durations;
import io.headgate.kit.db.Database;
import io.headgate.kit.db.DatabaseConfig;
import io.headgate.kit.testing.PostgresFixture;
import io.headgate.kit.testing.TestSecrets;
import io.headgate.proto.agent.v1.AttemptReport;
import io.headgate.proto.scheduler.v1.CancelJobRequest;
import io.headgate.proto.scheduler.v1.GetLeadershipRequest;
import io.headgate.proto.scheduler.v1.Job;
import io.headgate.proto.scheduler.v1.JobServiceGrpc.JobServiceBlockingStub;
import io.headgate.proto.scheduler.v1.ListNodeUsagesRequest;
import io.headgate.proto.scheduler.v1.NodeUsage;
import io.headgate.proto.scheduler.v1.SubmitJobRequest;
import io.headgate.scheduler.core.SchedulerState.Demanded;
import io.headgate.scheduler.core.catalog.ProfileId;
import io.headgate.scheduler.core.catalog.TenantId;
import io.headgate.scheduler.runtime.record.LoadedState;
import io.headgate.scheduler.store.PostgresSchedulerStore;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/// After a death, and after an orderly stop, everything goes on.
@Order(1) // It takes longest.
final class RestartTest {
  @RegisterExtension static final PostgresFixture POSTGRES = PostgresFixture.of("scheduler");

  private DatabaseConfig database;
  private Installation installation;
  private JobServiceBlockingStub alice;
  private JobServiceBlockingStub eve;
  private FakeAgent agent;

  @BeforeEach
  void start() {
    database = POSTGRES.fresh();
    installation = new Installation(database);
    Fixtures.seedExample(installation.neighbours);
    installation.start().awaitReady("rnd-3");
    alice = installation.alice();
    eve = installation.eve();
    agent = installation.agent("a-0").connect();
  }

  @AfterEach
  void stop() {
    installation.close();
  }

  private void restart() {
    installation.start();
    FakeAgent.awaitThat(installation.service()::isLeading);
  }

  private long epoch() {
    return installation
        .usage(installation.tokens.operator())
        .getLeadership(GetLeadershipRequest.getDefaultInstance())
        .getEpoch();
  }

  @Test
  void aJobThatNeverRanEndsAndItsLeaderGoesOn() {
    for (int i = 0; i < 5; i++) {
      submit(alice, submit("rnd-3", "r-" + i));
    }
    awaitState(alice, "r-2", Job.State.STATE_RUNNING);
    alice.cancelJob(CancelJobRequest.newBuilder().setName(ACME + "/jobs/r-4").build());
    awaitState(alice, "r-4", Job.State.STATE_CANCELLED);
    agent.exits("r-0", 0);
    awaitState(alice, "r-3", Job.State.STATE_RUNNING);

    assertThat(epoch()).isEqualTo(1);
  }

  @Test
  void adoptsWhatRunsAndGoesOnAfterADeath() {
    for (int i = 0; i < 5; i++) {
      submit(alice, submit("rnd-3", "r-" + i));
    }
    awaitState(alice, "r-2", Job.State.STATE_RUNNING);
    agent.awaitAcknowledged();
    installation.kill();
    restart();

    assertThat(epoch()).isEqualTo(2);
    assertThat(get(alice, "r-2").getState()).isEqualTo(Job.State.STATE_RUNNING);
    assertThat(get(alice, "r-3").getState()).isEqualTo(Job.State.STATE_WAITING);
    agent.connect();
    assertThat(agent.assigns()).isEmpty();
    assertThat(agent.stops()).isEmpty();
    agent.exits("r-0", 0);
    awaitState(alice, "r-0", Job.State.STATE_DONE);
    awaitState(alice, "r-3", Job.State.STATE_RUNNING);
    assertThat(agent.awaitAssign("r-3").getLeadership().getEpoch()).isEqualTo(2);
    assertThat(agent.begun().values()).containsOnly(1);
  }

  @Test
  void hasWhatIsSuspendedGoOnAfterADeath() {
    for (int i = 0; i < 3; i++) {
      SubmitJobRequest.Builder kept = submit("rnd-3", "r-" + i).toBuilder();
      kept.getSpecBuilder().setSuspend(Durations.fromSeconds(3600));
      submit(alice, kept.build());
    }
    awaitState(alice, "r-2", Job.State.STATE_RUNNING);
    agent.slowToStop();
    submit(eve, submit("devops-3", "d-0"));
    long order = agent.awaitStop("r-2").getSuspension();
    assertThat(order).isNotZero();
    agent.report(
        "r-2", report -> report.setState(AttemptReport.State.STATE_SUSPENDED).setSuspension(order));
    awaitState(eve, "d-0", Job.State.STATE_RUNNING);
    Job kept = get(alice, "r-2");
    assertThat(kept.getState()).isEqualTo(Job.State.STATE_SUSPENDED);
    agent.awaitAcknowledged();
    installation.kill();
    restart();

    assertThat(get(alice, "r-2").getReason()).isEqualTo(kept.getReason());
    assertThat(get(alice, "r-2").getSpec().getSuspend().getSeconds()).isEqualTo(3600);
    agent.connect();
    agent.exits("d-0", 0);
    awaitState(alice, "r-2", Job.State.STATE_RUNNING);
    assertThat(get(alice, "r-2").getAttempt()).isEqualTo(1);
    assertThat(agent.begun().values()).containsOnly(1);
  }

  @Test
  void takesOverAtOnceAfterAnOrderlyStop() {
    submit(alice, submit("rnd-3", "r-0"));
    awaitState(alice, "r-0", Job.State.STATE_RUNNING);
    installation.stop();
    long before = System.nanoTime();
    restart();
    assertThat(Duration.ofNanos(System.nanoTime() - before)).isLessThan(Installation.TIMES.lease());
    agent.connect();
    agent.exits("r-0", 0);
    awaitState(alice, "r-0", Job.State.STATE_DONE);
  }

  @Test
  void learnsOfEndsDuringATimeWithoutLeader() {
    submit(alice, submit("rnd-3", "r-0"));
    awaitState(alice, "r-0", Job.State.STATE_RUNNING);
    installation.kill();
    agent.exits("r-0", 7);
    restart();
    agent.connect();
    assertThat(awaitState(alice, "r-0", Job.State.STATE_FAILED).getExitCode()).isEqualTo(7);
    FakeAgent.awaitThat(() -> agent.ledger().isEmpty());
    assertThat(loaded().demand())
        .as("what was asked for is remembered although it is over")
        .containsExactly(new Demanded(new ProfileId(new TenantId("acme"), "three"), 1, 0));
  }

  private LoadedState loaded() {
    try (Database open = Database.open(database)) {
      return new PostgresSchedulerStore(
              open.dataSource(), open.acrossTenants(1), TestSecrets.seal(open))
          .load();
    }
  }

  @Test
  void startsNothingOnANodeThatHasNotReported() {
    agent.disconnect();
    installation.kill();
    restart();
    submit(alice, submit("rnd-3", "r-0"));
    // The window for agents is over, and the node is still out of contact.
    FakeAgent.awaitThat(() -> node().getContact() == NodeUsage.Contact.CONTACT_SUSPECT);
    Job waiting = awaitState(alice, "r-0", Job.State.STATE_WAITING);
    assertThat(waiting.getReason().getCode()).isEqualTo("CAPACITY");
    agent.connect();
    awaitState(alice, "r-0", Job.State.STATE_RUNNING);
  }

  @Test
  void keepsStopsAndHoldsInProgress() {
    agent.slowToStop();
    for (int i = 0; i < 3; i++) {
      submit(alice, submit("rnd-3", "r-" + i));
      awaitState(alice, "r-" + i, Job.State.STATE_RUNNING);
    }
    submit(eve, submit("devops-3", "d-0"));
    agent.awaitStop("r-2");
    assertThat(get(eve, "d-0").getReason().getCode()).isEqualTo("WAITING_FOR_VICTIMS");
    installation.kill();
    restart();

    agent.quick().connect();
    // Told again, and still for the same job.
    agent.awaitStop("r-2");
    awaitState(eve, "d-0", Job.State.STATE_RUNNING);
    Job victim = awaitState(alice, "r-2", Job.State.STATE_WAITING);
    assertThat(victim.getAttempts(0).getPreemption().getByJob()).isEqualTo("another team's job");
    assertThat(get(alice, "r-0").getState()).isEqualTo(Job.State.STATE_RUNNING);
    assertThat(get(alice, "r-1").getState()).isEqualTo(Job.State.STATE_RUNNING);
  }

  @Test
  void worksWhileItsNeighboursAreAway() {
    installation.neighbours.goAway();
    installation.kill();
    restart();
    agent.connect();
    submit(alice, submit("rnd-3", "r-0"));
    awaitState(alice, "r-0", Job.State.STATE_RUNNING);
  }

  @Test
  void requeuesWhatRanBeforeAReboot() {
    submit(alice, submit("rnd-3", "r-0"));
    awaitState(alice, "r-0", Job.State.STATE_RUNNING);
    agent.disconnect();
    agent.reinstalled().connect();
    FakeAgent.awaitThat(() -> get(alice, "r-0").getAttempt() == 2);
    awaitState(alice, "r-0", Job.State.STATE_RUNNING);
  }

  private NodeUsage node() {
    return installation
        .usage(installation.tokens.member("acme", "alice"))
        .listNodeUsages(ListNodeUsagesRequest.newBuilder().setParent(ACME).build())
        .getUsages(0);
  }
}
