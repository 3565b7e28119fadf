package io.headgate.scheduler;

import static io.headgate.scheduler.Fixtures.ACME;
import static io.headgate.scheduler.Fixtures.access;
import static io.headgate.scheduler.Fixtures.group;
import static io.headgate.scheduler.Fixtures.policy;
import static io.headgate.scheduler.Fixtures.pool;
import static io.headgate.scheduler.Fixtures.profile;
import static io.headgate.scheduler.Fixtures.queue;
import static io.headgate.scheduler.Fixtures.resources;
import static io.headgate.scheduler.Fixtures.submit;
import static io.headgate.scheduler.Installation.submit;
import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.Status.Code;
import io.grpc.StatusRuntimeException;
import io.headgate.kit.testing.PostgresFixture;
import io.headgate.proto.scheduler.v1.JobServiceGrpc.JobServiceBlockingStub;
import io.headgate.proto.scheduler.v1.ListQueueUsagesRequest;
import io.headgate.proto.scheduler.v1.QueueUsage;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/// A change that another service has confirmed counts in the next call, although the scheduler only
/// follows that service. No request is refused because of older data.
final class ReadYourWritesTest {
  @RegisterExtension static final PostgresFixture POSTGRES = PostgresFixture.of("scheduler");

  private Installation installation;
  private JobServiceBlockingStub alice;

  @BeforeEach
  void start() {
    installation = new Installation(POSTGRES.fresh());
    Fixtures.seedExample(installation.neighbours);
    installation.start().awaitReady("rnd-3");
    alice = installation.alice();
    // From here on the watches tell nothing for seconds: only asking helps.
    installation.neighbours.quietly();
  }

  @AfterEach
  void stop() {
    installation.close();
  }

  private void grant(String limit, String group, String... queues) {
    installation.neighbours.grant(
        access(
            List.of(group("rnd", group)),
            List.of(policy("rnd", "rnd", "5", limit)),
            List.of(queues).stream().map(id -> queue(id, "rnd", "three", 1)).toList()));
  }

  @Test
  void takesAJobForAQueueThatWasJustMade() {
    for (int i = 0; i < 10; i++) {
      grant("9", "alice", "rnd-3", "new-" + i);
      assertThat(submit(alice, submit("new-" + i))).isEqualTo("new-" + i + "-1");
    }
  }

  @Test
  void checksAJobAgainstAQueueThatWasJustMade() {
    grant("9", "alice", "fresh");
    assertThat(alice.submitJob(submit("fresh").toBuilder().setValidateOnly(true).build()).hasSpec())
        .isTrue();
  }

  @Test
  void admitsWhoWasJustAdmitted() {
    JobServiceBlockingStub bob = installation.jobs(installation.tokens.member("acme", "bob"));
    Refused.by(() -> bob.submitJob(submit("rnd-3"))).hasReason(Code.NOT_FOUND, "QUEUE_NOT_FOUND");
    grant("9", "bob", "rnd-3");
    assertThat(submit(bob, submit("rnd-3"))).isEqualTo("rnd-3-1");
  }

  @Test
  void measuresByTheLimitAndTheProfilesOfNow() {
    installation.neighbours.provision(
        resources(List.of(pool("onprem")), List.of(profile("three", "10", "onprem"))));
    grant("10", "alice", "ten");
    // Ten GPUs a job now, and within the limit of now.
    assertThat(submit(alice, submit("ten"))).isEqualTo("ten-1");
  }

  @Test
  void showsTheUseOfAQueueThatWasJustMade() {
    grant("9", "alice", "rnd-3", "fresh");
    assertThat(
            installation
                .usage(installation.tokens.member("acme", "alice"))
                .listQueueUsages(ListQueueUsagesRequest.newBuilder().setParent(ACME).build())
                .getUsagesList())
        .extracting(QueueUsage::getQueue)
        .contains("fresh");
  }

  @Test
  void refusesAWrongNameOnceTheServicesSaidSo() {
    int before = installation.neighbours.watchesOfAccess();
    Refused.by(() -> alice.submitJob(submit("rnd-4"))).hasReason(Code.NOT_FOUND, "QUEUE_NOT_FOUND");
    assertThat(installation.neighbours.watchesOfAccess()).isEqualTo(before + 1);
    assertThat(submit(alice, submit("rnd-3"))).as("what is right asks nobody").isNotEmpty();
    assertThat(installation.neighbours.watchesOfAccess()).isEqualTo(before + 1);
  }

  @Test
  void sparesTheServicesAFloodOfWrongNames() throws Exception {
    int before = installation.neighbours.watchesOfAccess();
    long begun = System.nanoTime();
    List<Future<Refused>> answers = new ArrayList<>();
    try (ExecutorService callers = Executors.newVirtualThreadPerTaskExecutor()) {
      for (int i = 0; i < 200; i++) {
        String wrong = "wrong-" + i;
        answers.add(callers.submit(() -> Refused.by(() -> alice.submitJob(submit(wrong)))));
      }
      for (Future<Refused> answer : answers) {
        answer.get().hasReason(Code.NOT_FOUND, "QUEUE_NOT_FOUND");
      }
    }
    long tookMillis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begun);
    assertThat(installation.neighbours.watchesOfAccess() - before)
        .as("rounds of at least 50 ms in %d ms", tookMillis)
        .isLessThanOrEqualTo((int) (tookMillis / 50) + 1);
  }

  @Test
  void saysThatItCannotKnowWhileTheServicesAreAway() {
    installation.neighbours.goAway();
    Refused.by(() -> alice.submitJob(submit("maybe")))
        .hasReason(Code.UNAVAILABLE, "CATALOG_BEHIND")
        .says("reason", "QUEUE_NOT_FOUND");
    assertThat(submit(alice, submit("rnd-3"))).as("what is known goes on").isNotEmpty();
  }

  @Test
  void acceptsNothingByARightThatIsKnownToBeGone() {
    grant("9", "bob", "rnd-3");
    JobServiceBlockingStub bob = installation.jobs(installation.tokens.member("acme", "bob"));
    // Because he was judged anew, so is she.
    assertThat(submit(bob, submit("rnd-3"))).isNotEmpty();
    try {
      alice.submitJob(submit("rnd-3"));
      throw new AssertionError("she may not any more");
    } catch (StatusRuntimeException e) {
      assertThat(e.getStatus().getCode()).isEqualTo(Code.NOT_FOUND);
    }
  }
}
