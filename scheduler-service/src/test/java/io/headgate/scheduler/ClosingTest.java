package io.headgate.scheduler;

import static io.headgate.scheduler.Fixtures.node;
import static io.headgate.scheduler.Fixtures.submit;
import static io.headgate.scheduler.Installation.awaitState;
import static io.headgate.scheduler.Installation.get;
import static io.headgate.scheduler.Installation.submit;
import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.kit.testing.PostgresFixture;
import io.headgate.proto.agent.v1.Assign;
import io.headgate.proto.agent.v1.AttemptReport.EndReason;
import io.headgate.proto.scheduler.v1.Event;
import io.headgate.proto.scheduler.v1.Job;
import io.headgate.proto.scheduler.v1.JobServiceGrpc.JobServiceBlockingStub;
import io.headgate.proto.scheduler.v1.ListEventsRequest;
import io.headgate.proto.scheduler.v1.ListNodeUsagesRequest;
import io.headgate.proto.scheduler.v1.NodeUsage;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/// A node that is shutting down does not get the jobs back that it stops.
final class ClosingTest {
  @RegisterExtension static final PostgresFixture POSTGRES = PostgresFixture.of("scheduler");

  private Installation installation;
  private FakeAgent agent;
  private JobServiceBlockingStub alice;

  @BeforeEach
  void start() {
    installation = new Installation(POSTGRES.fresh());
    Fixtures.seedExample(installation.neighbours);
    installation.start().awaitReady("rnd-3");
    agent = installation.agent("a-0").connect();
    alice = installation.alice();
  }

  @AfterEach
  void stop() {
    installation.close();
  }

  @Test
  void aClosingNodeGetsNothingUntilItsNextProcessSaysHello() {
    String job = stopOneInOrder();
    assertWaits(job);
    assertThat(agent.assigns()).hasSize(1);
    assertThat(contact()).isEqualTo(NodeUsage.Contact.CONTACT_CONNECTED);

    // Another stream of the same process: it still is being shut down.
    agent.disconnect();
    agent.connect();
    assertWaits(job);

    agent.disconnect();
    agent.restarted().connect();
    Assign second = agent.awaitAssign(job);
    assertThat(second.getAttempt()).isEqualTo(2);
    assertThat(second.getResume()).isTrue();
    awaitState(alice, job, Job.State.STATE_RUNNING);
  }

  @Test
  void aNewLeaderGivesAClosingNodeNothingFromItsFirstWordOn() {
    String job = stopOneInOrder();
    installation.kill();
    installation.start();
    FakeAgent.awaitThat(installation.service()::isLeading);
    agent.open(agent.hello().setClosing(true));
    FakeAgent.awaitThat(() -> contact() == NodeUsage.Contact.CONTACT_CONNECTED);
    // The answer to this comes after all that followed from Hello.
    agent.say(agent.spoken().getLast().getReport());
    agent.awaitAcknowledged();

    assertWaits(job);
    assertThat(agent.assigns()).isEmpty();
  }

  @Test
  void theEventsSayOnceThatANodeIsShutDown() {
    stopOneInOrder();
    agent.closing();
    agent.say(agent.spoken().getLast().getReport());
    agent.awaitAcknowledged();

    assertThat(
            installation
                .jobs(installation.tokens.operator())
                .listEvents(ListEventsRequest.newBuilder().setParent(Fixtures.ACME).build())
                .getEventsList())
        .filteredOn(event -> event.getType() == Event.Type.TYPE_NODE_CLOSING)
        .singleElement()
        .satisfies(event -> {
          assertThat(event.getNode()).isEqualTo("a-0");
          assertThat(event.getMessage()).isEqualTo("a-0 is being shut down");
        });
  }

  @Test
  void anotherNodeTakesWhatAClosingOneStopped() {
    String job = stopOneInOrder();
    assertWaits(job);

    installation.neighbours.register(node("a-1", "onprem", 10));
    FakeAgent other = installation.agent("a-1").connect();
    assertThat(other.awaitAssign(job).getAttempt()).isEqualTo(2);
    assertThat(agent.assigns()).hasSize(1);
  }

  @Test
  void aStreamThatOnlyEndsClosesNothing() {
    agent.disconnect();
    String job = submit(alice, submit("rnd-3"));
    awaitState(alice, job, Job.State.STATE_ASSIGNED);
    agent.connect();
    assertThat(agent.awaitAssign(job).getAttempt()).isEqualTo(1);
  }

  /// A job that ran there and was stopped because the node is being shut down.
  private String stopOneInOrder() {
    String job = submit(alice, submit("rnd-3"));
    agent.awaitAssign(job);
    awaitState(alice, job, Job.State.STATE_RUNNING);
    agent.closing();
    agent.ends(job, EndReason.END_REASON_NODE_STOPPED);
    // Acknowledged together with all that was decided in the same turn.
    agent.awaitAcknowledged();
    return job;
  }

  private void assertWaits(String job) {
    Job waiting = get(alice, job);
    assertThat(waiting.getState()).isEqualTo(Job.State.STATE_WAITING);
    assertThat(waiting.getAttemptsList()).hasSize(1);
  }

  private NodeUsage.Contact contact() {
    return installation
        .usage(installation.tokens.operator())
        .listNodeUsages(ListNodeUsagesRequest.newBuilder().setParent(Fixtures.ACME).build())
        .getUsagesList()
        .getFirst()
        .getContact();
  }
}
