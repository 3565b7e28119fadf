package io.headgate.scheduler;

import static io.headgate.scheduler.Fixtures.submit;
import static io.headgate.scheduler.Installation.awaitState;
import static io.headgate.scheduler.Installation.get;
import static io.headgate.scheduler.Installation.submit;
import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.kit.testing.PostgresFixture;
import io.headgate.proto.agent.v1.Assign;
import io.headgate.proto.scheduler.v1.Job;
import io.headgate.proto.scheduler.v1.JobServiceGrpc.JobServiceBlockingStub;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/// A job's way through the service, between real wires.
final class LifeCycleTest {
  @RegisterExtension static final PostgresFixture POSTGRES = PostgresFixture.of("scheduler");

  private Installation installation;

  @BeforeEach
  void start() {
    installation = new Installation(POSTGRES.fresh());
    Fixtures.seedExample(installation.neighbours);
    installation.start().awaitReady("rnd-3");
  }

  @AfterEach
  void stop() {
    installation.close();
  }

  @Test
  void runsAJobFromSubmissionToItsEnd() {
    FakeAgent agent = installation.agent("a-0").connect();
    JobServiceBlockingStub alice = installation.alice();
    String job = submit(alice, submit("rnd-3"));
    assertThat(job).isEqualTo("rnd-3-1");

    Assign assign = agent.awaitAssign(job);
    assertThat(assign.getCommandList()).containsExactly("/bin/true");
    assertThat(assign.getSlicesList()).hasSize(3);
    assertThat(assign.getLeadership().getEpoch()).isEqualTo(1);
    awaitState(alice, job, Job.State.STATE_RUNNING);

    agent.exits(job, 0);
    Job done = awaitState(alice, job, Job.State.STATE_DONE);
    assertThat(done.getExitCode()).isZero();
    assertThat(done.getAttemptsList()).hasSize(1);
    assertThat(done.getAttempts(0).getPlacements(0).getNode()).isEqualTo("a-0");
    agent.awaitAcknowledged();
    FakeAgent.awaitThat(() -> agent.ledger().isEmpty());
  }

  @Test
  void failsAJobThatExitsOtherwise() {
    FakeAgent agent = installation.agent("a-0").connect();
    JobServiceBlockingStub alice = installation.alice();
    String job = submit(alice, submit("rnd-3", "oops"));
    agent.awaitAssign(job);
    awaitState(alice, job, Job.State.STATE_RUNNING);
    agent.exits(job, 3);
    assertThat(awaitState(alice, job, Job.State.STATE_FAILED).getExitCode()).isEqualTo(3);
    assertThat(get(alice, job).getAttempts(0).getExitCode()).isEqualTo(3);
  }
}
