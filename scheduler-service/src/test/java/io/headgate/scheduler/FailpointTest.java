package io.headgate.scheduler;

import static io.headgate.scheduler.Fixtures.ACME;
import static io.headgate.scheduler.Fixtures.submit;
import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.StatusRuntimeException;
import io.headgate.kit.testing.PostgresFixture;
import io.headgate.proto.scheduler.v1.Job;
import io.headgate.proto.scheduler.v1.JobServiceGrpc.JobServiceBlockingStub;
import io.headgate.proto.scheduler.v1.ListJobsRequest;
import io.headgate.proto.scheduler.v1.SubmitJobRequest;
import io.headgate.scheduler.runtime.record.Failpoint;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// A crash at every named moment: no acknowledged job is lost, and none is begun twice. The points
/// are enumerated, so a new one cannot be without its crash.
@Order(1) // It takes longest.
final class FailpointTest {
  private static final int CLIENTS = 4;
  private static final int JOBS_EACH = 12;

  /// A value in the middle of the work, and never after its end, however many commands share one
  /// turn.
  ///
  /// A client waits for each answer before its next job, and nine of 48 jobs run at once.
  private static final int PASSES = 5;

  @RegisterExtension static final PostgresFixture POSTGRES = PostgresFixture.of("scheduler");

  private Installation installation;

  @AfterEach
  void stop() {
    installation.close();
  }

  /// Crashes when the point is passed for the n-th time since it was armed.
  private final class Bomb implements Failpoint.Handler {
    private final Failpoint point;
    private final AtomicInteger left;
    private final CountDownLatch exploded = new CountDownLatch(1);
    private volatile boolean isArmed;

    Bomb(Failpoint point, int passes) {
      this.point = point;
      this.left = new AtomicInteger(passes);
    }

    Bomb armed() {
      isArmed = true;
      return this;
    }

    @Override
    public void at(Failpoint passed) {
      if (isArmed && passed == point && left.decrementAndGet() == 0) {
        installation.service().kill();
        exploded.countDown();
      }
      if (exploded.getCount() == 0) {
        throw new IllegalStateException("dead since " + point);
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void losesNothingAndBeginsNothingTwice(Failpoint point) throws InterruptedException {
    installation = new Installation(POSTGRES.fresh());
    Fixtures.seedExample(installation.neighbours);
    boolean isAtStart = point == Failpoint.AFTER_ELECTION || point == Failpoint.MID_LOAD;
    Bomb bomb = new Bomb(point, isAtStart ? 1 : PASSES);
    installation.start(isAtStart ? bomb.armed() : bomb);
    FakeAgent agent = installation.agent("a-0").finishing();
    if (!isAtStart) {
      installation.awaitReady("rnd-1");
      agent.connect();
      bomb.armed();
    }

    Set<String> acknowledged = new ConcurrentSkipListSet<>();
    AtomicReference<Throwable> failure = new AtomicReference<>();
    List<Thread> clients =
        IntStream.range(0, CLIENTS)
            .mapToObj(_ ->
                Thread.ofVirtual()
                    .start(() -> {
                      try {
                        client(acknowledged);
                      } catch (RuntimeException | Error e) {
                        failure.set(e);
                      }
                    }))
            .toList();
    assertThat(bomb.exploded.await(60, TimeUnit.SECONDS)).as("passed %s", point).isTrue();
    installation.closeServer();
    installation.start();
    FakeAgent.awaitThat(installation.service()::isLeading);
    agent.connect();
    for (Thread client : clients) {
      client.join();
    }

    assertThat(failure).hasValue(null);
    assertThat(acknowledged).hasSize(CLIENTS * JOBS_EACH);
    JobServiceBlockingStub alice = installation.alice();
    ListJobsRequest all = ListJobsRequest.newBuilder().setParent(ACME).setPageSize(1000).build();
    FakeAgent.awaitThat(() ->
        alice.listJobs(all).getCountsMap().getOrDefault("STATE_DONE", 0L) == acknowledged.size());
    // Each request made one job, although many were sent again.
    assertThat(alice.listJobs(all).getJobsList().stream().map(Job::getName))
        .containsExactlyInAnyOrderElementsOf(acknowledged);
    assertThat(agent.begun().values()).containsOnly(1);
    assertThat(agent.begun()).hasSize(acknowledged.size());
  }

  /// Sends each request until it is answered, as a client must.
  private void client(Set<String> acknowledged) {
    JobServiceBlockingStub alice = installation.alice();
    for (int i = 0; i < JOBS_EACH; i++) {
      SubmitJobRequest request =
          submit("rnd-1").toBuilder().setRequestId(UUID.randomUUID().toString()).build();
      FakeAgent.awaitThat(() -> {
        try {
          acknowledged.add(alice.submitJob(request).getName());
          return true;
        } catch (StatusRuntimeException e) {
          return switch (e.getStatus().getCode()) {
            // The catalog may not have arrived yet.
            case UNAVAILABLE, NOT_FOUND, FAILED_PRECONDITION, DEADLINE_EXCEEDED -> false;
            default -> throw e;
          };
        }
      });
    }
  }
}
