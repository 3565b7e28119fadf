package io.headgate.scheduler;

import static io.headgate.scheduler.Fixtures.submit;
import static io.headgate.scheduler.Installation.awaitState;
import static io.headgate.scheduler.Installation.get;
import static io.headgate.scheduler.Installation.submit;
import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.Status.Code;
import io.headgate.kit.db.Database;
import io.headgate.kit.db.DatabaseConfig;
import io.headgate.kit.testing.PostgresFixture;
import io.headgate.proto.agent.v1.ConnectResponse;
import io.headgate.proto.agent.v1.Leadership;
import io.headgate.proto.agent.v1.Stop;
import io.headgate.proto.scheduler.v1.Job;
import io.headgate.proto.scheduler.v1.JobServiceGrpc.JobServiceBlockingStub;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/// The database is lost and restored from a backup, while machines know what happened since.
final class RestoreTest {
  @RegisterExtension static final PostgresFixture POSTGRES = PostgresFixture.of("scheduler");

  private DatabaseConfig backup;
  private Installation installation;
  private JobServiceBlockingStub alice;
  private FakeAgent agent;

  /// In the backup `r-0` and `r-1` run. Then `r-1` ends, `r-2` is submitted and runs; and three
  /// leaders have led.
  @BeforeEach
  void start() {
    DatabaseConfig lost = POSTGRES.fresh();
    installation = new Installation(lost);
    Fixtures.seedExample(installation.neighbours);
    installation.start().awaitReady("rnd-3");
    alice = installation.alice();
    agent = installation.agent("a-0").connect();
    running("r-0");
    running("r-1");
    agent.awaitAcknowledged();
    installation.kill();
    backup = POSTGRES.copyOf(lost);
    for (int i = 0; i < 2; i++) {
      installation.start();
      FakeAgent.awaitThat(installation.service()::isLeading);
      agent.connect();
      if (i == 0) {
        running("r-2");
        agent.awaitAcknowledged();
      }
      installation.kill();
    }
    // The lost database does not hear of this exit.
    agent.exits("r-1", 7);
  }

  @AfterEach
  void stop() {
    installation.close();
  }

  private void running(String job) {
    submit(alice, submit("rnd-1", job));
    agent.awaitAssign(job);
    awaitState(alice, job, Job.State.STATE_RUNNING);
  }

  /// The statement of docs/operations/restore.md.
  private void restore(boolean saySo) {
    if (saySo) {
      try (Database database = Database.open(backup.asOwner())) {
        database.jooq().execute("update leadership set incarnation = gen_random_uuid()");
      }
    }
    installation.on(backup).start();
    FakeAgent.awaitThat(installation.service()::isLeading);
  }

  @Test
  void adoptsRunningJobsRecordsEndedOnesAndStopsUnknownOnes() {
    Leadership obeyed = agent.heard().getFirst().getWelcome().getLeadership();
    restore(true);
    agent.open(agent.hello().setHighestObeyed(obeyed));
    FakeAgent.awaitThat(() -> agent.has(ConnectResponse::hasWelcome));
    Leadership now = agent.heard().getFirst().getWelcome().getLeadership();
    assertThat(now.getIncarnation()).isNotEqualTo(obeyed.getIncarnation());

    Stop stop = agent.awaitStop("r-2");
    assertThat(stop.getLeadership()).isEqualTo(now);
    FakeAgent.awaitThat(() -> !agent.ledger().containsKey("r-2"));
    Refused.by(() -> get(alice, "r-2")).hasReason(Code.NOT_FOUND, "JOB_NOT_FOUND");

    assertThat(awaitState(alice, "r-1", Job.State.STATE_FAILED).getExitCode()).isEqualTo(7);
    assertThat(get(alice, "r-0").getState()).isEqualTo(Job.State.STATE_RUNNING);
    // Said again as long as the machine tells of it.
    assertThat(agent.stops()).extracting(Stop::getJob).containsOnly(stop.getJob());
    agent.exits("r-0", 0);
    awaitState(alice, "r-0", Job.State.STATE_DONE);
    assertThat(agent.begun().values()).as("nothing began twice").containsOnly(1);

    // The name is free again, and so is what it had.
    running("r-2");
    assertThat(agent.ledger().get("r-2").getUid()).isNotEqualTo(stop.getUid());
  }

  /// Without a new incarnation, the scheduler sees that an agent obeyed a higher epoch, and turns
  /// it away.
  @Test
  void refusesMachinesThatObeyedALaterLeaderWithoutANewIncarnation() {
    Leadership obeyed = agent.heard().getFirst().getWelcome().getLeadership();
    restore(false);
    agent.open(agent.hello().setHighestObeyed(obeyed));
    FakeAgent.awaitThat(() -> agent.has(ConnectResponse::hasNotLeader));
    assertThat(agent.stops()).isEmpty();
    assertThat(get(alice, "r-1").getState()).isEqualTo(Job.State.STATE_RUNNING);
  }
}
