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
import static io.headgate.scheduler.Installation.get;
import static io.headgate.scheduler.Installation.submit;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Duration;
import io.headgate.kit.testing.PostgresFixture;
import io.headgate.proto.agent.v1.ConnectResponse;
import io.headgate.proto.scheduler.v1.Event;
import io.headgate.proto.scheduler.v1.Job;
import io.headgate.proto.scheduler.v1.JobServiceGrpc.JobServiceBlockingStub;
import io.headgate.proto.scheduler.v1.ListEventsRequest;
import io.headgate.proto.scheduler.v1.ListNodeUsagesRequest;
import io.headgate.proto.scheduler.v1.NodeUsage;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/// When slices of a machine that is out of contact may be used again without two jobs on one GPU.
@Order(1) // It takes longest.
final class ReclaimTest {
  @RegisterExtension static final PostgresFixture POSTGRES = PostgresFixture.of("scheduler");

  /// Stop-after of a second, and the margin of [Installation#SUSPICIOUS].
  private static final long STOP_AFTER_SECONDS = 1;

  private static final long RECLAIMED_AFTER_MILLIS =
      TimeUnit.SECONDS.toMillis(STOP_AFTER_SECONDS)
          + Installation.SUSPICIOUS.stopMargin().toMillis();

  private Installation installation;
  private JobServiceBlockingStub alice;

  @AfterEach
  void stop() {
    installation.close();
  }

  /// Nodes of one GPU each; the queue `brief` stops after a second, `endless` never does.
  private void start(int nodes) {
    installation =
        new Installation(POSTGRES.fresh(), config -> config.with(Installation.SUSPICIOUS));
    installation.neighbours.provision(
        resources(List.of(pool("onprem")), List.of(profile("one", "1", "onprem"))));
    installation.neighbours.grant(
        access(
            List.of(group("rnd", "alice")),
            List.of(
                policy("brief", "rnd", "10", "20").toBuilder()
                    .setStopAfter(Duration.newBuilder().setSeconds(STOP_AFTER_SECONDS))
                    .build(),
                policy("endless", "rnd", "10", "20").toBuilder().setStopAfterNever(true).build()),
            List.of(queue("brief", "brief", "one", 1), queue("endless", "endless", "one", 2))));
    for (int i = 0; i < nodes; i++) {
      installation.neighbours.register(node("n-" + i, "onprem", 1));
    }
    installation.start().awaitReady("brief");
    alice = installation.alice();
  }

  private List<Event.Type> eventsOfNodes() {
    return alice
        .listEvents(
            ListEventsRequest.newBuilder().setParent(Fixtures.ACME).setPageSize(1000).build())
        .getEventsList()
        .stream()
        .filter(event -> event.getJob().isEmpty())
        .map(Event::getType)
        .toList();
  }

  private static long millisSince(long nanos) {
    return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - nanos);
  }

  @Test
  void givesUpANodeAfterStopAfterAndItsMarginEvenIfItIsDeletedBefore() {
    start(4);
    FakeAgent known = installation.agent("n-0").connect();
    String brief = submit(alice, submit("brief", "b-0"));
    known.awaitRunning(alice, brief);
    FakeAgent deleted = installation.agent("n-1").connect();
    String other = submit(alice, submit("brief", "b-1"));
    FakeAgent.awaitThat(() -> {
      known.heartbeat();
      return deleted.has(ConnectResponse::hasAssign);
    });
    deleted.awaitRunning(alice, other);
    // The supervisor counts from the last answer.
    long answered = System.nanoTime();
    for (FakeAgent agent : List.of(known, deleted)) {
      long last = agent.heartbeat();
      FakeAgent.awaitThat(() -> agent.has(heard -> heard.getHeartbeatReply().getNumber() == last));
      agent.disconnect();
    }
    installation.neighbours.delete(Fixtures.ACME + "/nodes/n-1");
    List<FakeAgent> others =
        List.of(installation.agent("n-2").connect(), installation.agent("n-3").connect());
    for (String job : List.of(brief, other)) {
      FakeAgent.awaitThat(() -> {
        others.forEach(FakeAgent::heartbeat);
        return get(alice, job).getAttempt() == 2;
      });
      assertThat(millisSince(answered)).as(job).isGreaterThanOrEqualTo(RECLAIMED_AFTER_MILLIS);
      assertThat(get(alice, job).getAttempts(0).getOutcome())
          .isEqualTo(io.headgate.proto.scheduler.v1.Attempt.Outcome.OUTCOME_LOST);
    }
    assertThat(eventsOfNodes()).contains(Event.Type.TYPE_NODE_SUSPECT, Event.Type.TYPE_NODE_LOST);
  }

  /// A machine may stand still for longer than that, and its connection outlive it.
  @Test
  void takesANodeBackThatIsHeardAgainOnItsOldStream() {
    start(2);
    FakeAgent first = installation.agent("n-0").connect();
    String brief = submit(alice, submit("brief", "b-0"));
    first.awaitRunning(alice, brief);
    FakeAgent second = installation.agent("n-1").connect();
    FakeAgent.awaitThat(() -> {
      second.heartbeat();
      return get(alice, brief).getAttempt() == 2;
    });
    assertThat(contact("n-0")).isEqualTo(NodeUsage.Contact.CONTACT_LOST);
    FakeAgent.awaitThat(() -> {
      first.heartbeat();
      return contact("n-0") == NodeUsage.Contact.CONTACT_CONNECTED;
    });
  }

  private NodeUsage.Contact contact(String node) {
    return installation
        .usage(installation.tokens.member("acme", "alice"))
        .listNodeUsages(ListNodeUsagesRequest.newBuilder().setParent(Fixtures.ACME).build())
        .getUsagesList()
        .stream()
        .filter(usage -> usage.getNode().equals(node))
        .findFirst()
        .orElseThrow()
        .getContact();
  }

  @Test
  void waitsForProofWhereThePolicyNeverGivesUp() {
    start(3);
    FakeAgent endless = installation.agent("n-0").connect();
    submit(alice, submit("endless", "e-0"));
    endless.awaitRunning(alice, "e-0");
    FakeAgent brief = installation.agent("n-1").connect();
    submit(alice, submit("brief", "b-0"));
    brief.awaitRunning(alice, "b-0");
    endless.disconnect();
    brief.disconnect();
    FakeAgent third = installation.agent("n-2").connect();
    FakeAgent.awaitThat(() -> {
      third.heartbeat();
      return get(alice, "b-0").getAttempt() == 2;
    });
    assertThat(get(alice, "e-0").getAttempt()).isEqualTo(1);
    assertThat(get(alice, "e-0").getState()).isEqualTo(Job.State.STATE_RUNNING);
    // A new boot is proof.
    endless.reinstalled().connect();
    FakeAgent.awaitThat(() -> get(alice, "e-0").getAttempt() == 2);
  }

  @Test
  void aPolicyThatNeverGivesUpAcceptsTheDeletionOfASilentMachine() {
    start(2);
    FakeAgent first = installation.agent("n-0").connect();
    submit(alice, submit("endless", "e-0"));
    first.awaitRunning(alice, "e-0");
    installation.neighbours.delete(Fixtures.ACME + "/nodes/n-0");
    FakeAgent second = installation.agent("n-1").connect();
    // Its agent sends heartbeats, so its job is not given up.
    long deleted = System.nanoTime();
    FakeAgent.awaitThat(() -> {
      first.heartbeat();
      second.heartbeat();
      return millisSince(deleted) > 2 * Installation.SUSPICIOUS.suspectAfter().toMillis();
    });
    assertThat(get(alice, "e-0").getAttempt()).isEqualTo(1);
    first.disconnect();
    FakeAgent.awaitThat(() -> {
      second.heartbeat();
      return get(alice, "e-0").getAttempt() == 2;
    });
  }

  @Test
  void givesUpNothingWhileManyNodesAreAwayAtOnce() {
    start(6);
    List<FakeAgent> agents = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      agents.add(installation.agent("n-" + i).connect());
    }
    List<String> jobs = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      jobs.add(submit(alice, submit("brief", "b-" + i)));
    }
    FakeAgent.awaitThat(() -> {
      agents.forEach(FakeAgent::heartbeat);
      return jobs.stream().allMatch(job -> get(alice, job).getState() == Job.State.STATE_RUNNING);
    });
    FakeAgent spare = installation.agent("n-5").connect();
    agents.forEach(FakeAgent::disconnect);
    long away = System.nanoTime();
    // Well past the time after which a single node would be given up.
    FakeAgent.awaitThat(() -> {
      spare.heartbeat();
      return millisSince(away) > RECLAIMED_AFTER_MILLIS + 1500;
    });
    assertThat(eventsOfNodes()).doesNotContain(Event.Type.TYPE_NODE_LOST);
    for (String job : jobs) {
      assertThat(get(alice, job).getAttempt()).isEqualTo(1);
      assertThat(get(alice, job).getState()).isEqualTo(Job.State.STATE_RUNNING);
    }
    // Four come back: what they ran goes on, and one node alone is given up.
    List<FakeAgent> back = agents.subList(0, 4);
    back.forEach(agent -> agent.open(agent.hello()));
    FakeAgent.awaitThat(
        () -> back.stream().allMatch(agent -> agent.has(ConnectResponse::hasWelcome)));
    FakeAgent.awaitThat(() -> {
      back.forEach(FakeAgent::heartbeat);
      spare.heartbeat();
      return jobs.stream().anyMatch(job -> get(alice, job).getAttempt() == 2);
    });
    assertThat(jobs.stream().filter(job -> get(alice, job).getAttempt() == 1)).hasSize(4);
  }
}
