package io.headgate.scheduler;

import static io.headgate.scheduler.Fixtures.ACME;
import static io.headgate.scheduler.Fixtures.node;
import static io.headgate.scheduler.Fixtures.pool;
import static io.headgate.scheduler.Fixtures.profile;
import static io.headgate.scheduler.Fixtures.resources;
import static io.headgate.scheduler.Fixtures.submit;
import static io.headgate.scheduler.Installation.awaitState;
import static io.headgate.scheduler.Installation.get;
import static io.headgate.scheduler.Installation.submit;
import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.kit.testing.PostgresFixture;
import io.headgate.proto.pool.v1.Node;
import io.headgate.proto.scheduler.v1.ExplainJobRequest;
import io.headgate.proto.scheduler.v1.Job;
import io.headgate.proto.scheduler.v1.JobServiceGrpc.JobServiceBlockingStub;
import io.headgate.proto.scheduler.v1.SubmitJobRequest;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/// Pools that name shared storage: their jobs go only to nodes that have it.
final class PoolStorageTest {
  @RegisterExtension static final PostgresFixture POSTGRES = PostgresFixture.of("scheduler");

  private Installation installation;
  private JobServiceBlockingStub alice;

  @BeforeEach
  void start() {
    installation = new Installation(POSTGRES.fresh(), config -> config);
    Fixtures.seedExample(installation.neighbours);
    installation.start().awaitReady("rnd-3");
    alice = installation.alice();
  }

  @AfterEach
  void stop() {
    installation.close();
  }

  private void provision(String storage, long version) {
    installation.neighbours.provision(
        resources(
                List.of(pool("onprem").toBuilder().setStorage(storage).build()),
                List.of(
                    profile("three", "3", "onprem"),
                    profile("two", "2", "onprem"),
                    profile("one", "1", "onprem")))
            .toBuilder()
            .setVersion(version)
            .build());
  }

  private boolean wouldWait() {
    SubmitJobRequest asked = submit("rnd-1", "q").toBuilder().setValidateOnly(true).build();
    return alice.submitJob(asked).hasReason();
  }

  private String verdict(String job) {
    return alice
        .explainJob(ExplainJobRequest.newBuilder().setName(ACME + "/jobs/" + job).build())
        .getVerdict();
  }

  @Test
  void aNodeWithoutTheStorageGetsNoJobUntilItsAgentNamesIt() {
    FakeAgent agent = installation.agent("a-0").slowToStart().connect();
    submit(alice, submit("rnd-1", "own"));
    assertThat(agent.awaitAssign("own").getStorage()).isEmpty();

    provision("shared", 2);
    FakeAgent.awaitThat(this::wouldWait);
    submit(alice, submit("rnd-1", "r-0"));
    assertThat(get(alice, "r-0").getState()).isEqualTo(Job.State.STATE_WAITING);
    FakeAgent.awaitThat(() -> verdict("r-0").contains("without its storage"));
    assertThat(verdict("r-0"))
        .contains(
            " 1 node of onprem gets no work without its storage shared: headgate nodes -o wide.");
    assertThat(agent.assigns()).hasSize(1);

    Node named = node("a-0", "onprem", 10).toBuilder().addStorages("shared").build();
    installation.neighbours.register(named);
    assertThat(agent.awaitAssign("r-0").getStorage()).isEqualTo("shared");
  }

  @Test
  void anOrderThatWaitsForItsNodeIsGivenUpWhenTheNodeLacksTheStorageByThen() {
    FakeAgent agent = installation.agent("a-0").connect();
    agent.deaf();
    submit(alice, submit("rnd-3", "r-0"));
    awaitState(alice, "r-0", Job.State.STATE_ASSIGNED);
    provision("shared", 2);
    FakeAgent.awaitThat(this::wouldWait);
    agent.disconnect();
    agent.hearing().connect();
    awaitState(alice, "r-0", Job.State.STATE_WAITING);
    assertThat(agent.begun()).isEmpty();

    installation.neighbours.register(
        node("a-0", "onprem", 10).toBuilder().addStorages("shared").build());
    awaitState(alice, "r-0", Job.State.STATE_RUNNING);
    assertThat(agent.awaitAssign("r-0").getStorage()).isEqualTo("shared");
  }

  @Test
  void anotherLeaderKnowsItToo() {
    provision("shared", 2);
    FakeAgent.awaitThat(this::wouldWait);
    installation.kill();
    installation.start().awaitReady("rnd-3");
    alice = installation.alice();
    FakeAgent agent = installation.agent("a-0").connect();
    submit(alice, submit("rnd-1", "r-0"));
    FakeAgent.awaitThat(() -> verdict("r-0").contains("without its storage"));
    assertThat(agent.assigns()).isEmpty();

    provision("", 3);
    assertThat(agent.awaitAssign("r-0").getStorage()).isEmpty();
  }
}
