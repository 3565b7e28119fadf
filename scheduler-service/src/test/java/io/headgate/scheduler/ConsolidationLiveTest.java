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
import static io.headgate.scheduler.Installation.awaitState;
import static io.headgate.scheduler.Installation.get;
import static io.headgate.scheduler.Installation.submit;
import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.kit.testing.PostgresFixture;
import io.headgate.proto.scheduler.v1.CancelJobRequest;
import io.headgate.proto.scheduler.v1.Event;
import io.headgate.proto.scheduler.v1.Job;
import io.headgate.proto.scheduler.v1.JobServiceGrpc.JobServiceBlockingStub;
import io.headgate.proto.scheduler.v1.ListEventsRequest;
import io.headgate.proto.scheduler.v1.SubmitJobRequest;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/// A movable job is moved to another node for a blocked one (P11), through the whole service.
final class ConsolidationLiveTest {
  @RegisterExtension static final PostgresFixture POSTGRES = PostgresFixture.of("scheduler");

  private Installation installation;

  @BeforeEach
  void start() {
    installation = new Installation(POSTGRES.fresh());
  }

  @AfterEach
  void stop() {
    installation.close();
  }

  @Test
  void aMovedJobGoesOnOnTheOtherNode() {
    installation.neighbours.provision(
        resources(
            List.of(pool("onprem").toBuilder().setConsolidate(true).build()),
            List.of(profile("two", "2", "onprem"), profile("four", "4", "onprem"))));
    installation.neighbours.grant(
        access(
            List.of(group("rnd", "alice")),
            List.of(policy("rnd", "rnd", "8", "8")),
            List.of(queue("rnd-2", "rnd", "two", 1), queue("rnd-4", "rnd", "four", 1))));
    installation.neighbours.register(node("a-0", "onprem", 4));
    installation.neighbours.register(node("a-1", "onprem", 4));
    installation.start().awaitReady("rnd-2");
    installation.agent("a-0").connect();
    installation.agent("a-1").connect();
    JobServiceBlockingStub alice = installation.alice();

    for (String job : List.of("m-0", "m-1", "m-2")) {
      submit(alice, movable(job));
      awaitState(alice, job, Job.State.STATE_RUNNING);
    }
    assertThat(nodeOf(alice, "m-1")).isEqualTo(nodeOf(alice, "m-0"));
    // A run that ended by itself would say that the others end soon.
    alice.cancelJob(CancelJobRequest.newBuilder().setName(ACME + "/jobs/m-1").build());
    awaitState(alice, "m-1", Job.State.STATE_CANCELLED);

    submit(alice, Fixtures.submit("rnd-4", "big"));
    awaitState(alice, "big", Job.State.STATE_RUNNING);
    FakeAgent.awaitThat(() -> nodeOf(alice, "m-0").equals(nodeOf(alice, "m-2")));
    String moved = get(alice, "m-0").getAttempt() == 2 ? "m-0" : "m-2";
    awaitState(alice, moved, Job.State.STATE_RUNNING);
    assertThat(events(alice, moved))
        .contains(moved + " has stopped and continues on " + nodeOf(alice, moved))
        .doesNotContain(moved + " waits again in its old place");
  }

  private static String nodeOf(JobServiceBlockingStub jobs, String job) {
    return get(jobs, job).getAttemptsList().getLast().getPlacements(0).getNode();
  }

  private static SubmitJobRequest movable(String job) {
    SubmitJobRequest request = Fixtures.submit("rnd-2", job);
    return request.toBuilder().setSpec(request.getSpec().toBuilder().setMovable(true)).build();
  }

  private static List<String> events(JobServiceBlockingStub jobs, String job) {
    return jobs
        .listEvents(ListEventsRequest.newBuilder().setParent(ACME).setJob(job).build())
        .getEventsList()
        .stream()
        .map(Event::getMessage)
        .toList();
  }
}
