package io.headgate.scheduler;

import static io.headgate.scheduler.Fixtures.ACME;
import static io.headgate.scheduler.Fixtures.submit;
import static io.headgate.scheduler.Installation.awaitState;
import static io.headgate.scheduler.Installation.submit;
import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.Status.Code;
import io.grpc.StatusRuntimeException;
import io.headgate.kit.failure.GrpcFailures;
import io.headgate.kit.failure.Refusal;
import io.headgate.kit.testing.PostgresFixture;
import io.headgate.proto.scheduler.v1.BatchSubmitJobsRequest;
import io.headgate.proto.scheduler.v1.CancelJobRequest;
import io.headgate.proto.scheduler.v1.Job;
import io.headgate.proto.scheduler.v1.JobServiceGrpc.JobServiceBlockingStub;
import io.headgate.proto.scheduler.v1.ListJobsRequest;
import io.headgate.proto.scheduler.v1.ListJobsResponse;
import io.headgate.proto.scheduler.v1.RequeueJobRequest;
import io.headgate.scheduler.runtime.record.Failpoint;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Every queue of waiting work has a bound, and a caller that meets it gets a refusal with the
/// bound.
final class BoundsTest {
  @RegisterExtension static final PostgresFixture POSTGRES = PostgresFixture.of("scheduler");

  private Installation installation;

  @AfterEach
  void stop() {
    installation.close();
  }

  private JobServiceBlockingStub start(SchedulerConfig.Bounds bounds, Failpoint.Handler handler) {
    installation = new Installation(POSTGRES.fresh(), config -> config.with(bounds));
    Fixtures.seedExample(installation.neighbours);
    installation.start(handler).awaitReady("rnd-3");
    return installation.alice();
  }

  private static SchedulerConfig.Bounds bounds(SchedulerConfig.Waiting waiting) {
    return new SchedulerConfig.Bounds(1000, 1000, 1000, waiting, 1000, 64);
  }

  @Test
  void refusesMoreWaitingJobsThanAQueueMayHave() {
    JobServiceBlockingStub alice = start(bounds(waiting("per-queue", 2)), Failpoint.Handler.NONE);
    submit(alice, submit("rnd-3", "r-0"));
    submit(alice, submit("rnd-3", "r-1"));
    Refused.by(() -> alice.submitJob(submit("rnd-3", "r-2")))
        .hasReason(Code.RESOURCE_EXHAUSTED, "TOO_MANY_WAITING")
        .names("spec.queue", "2")
        .says("limit", "2");
    assertThat(submit(alice, submit("rnd-1"))).as("another queue").isNotEmpty();
    alice.cancelJob(CancelJobRequest.newBuilder().setName(ACME + "/jobs/r-0").build());
    assertThat(submit(alice, submit("rnd-3", "r-2"))).as("there is room again").isNotEmpty();
    // An ended job waits again only where one more may.
    Refused.by(() ->
            alice.requeueJob(RequeueJobRequest.newBuilder().setName(ACME + "/jobs/r-0").build()))
        .hasReason(Code.RESOURCE_EXHAUSTED, "TOO_MANY_WAITING");
  }

  private static SchedulerConfig.Waiting waiting(String bound, int most) {
    Optional<Integer> none = Optional.of(100);
    Optional<Integer> some = Optional.of(most);
    return new SchedulerConfig.Waiting(
        bound.equals("total") ? some : none,
        bound.equals("per-tenant") ? some : none,
        bound.equals("per-queue") ? some : none,
        bound.equals("per-user") ? some : none);
  }

  /// A member's flood is refused at once, whichever queues it goes to, and as a batch too.
  @ParameterizedTest
  @CsvSource({
    "per-user, tenants/acme/users/alice has",
    "per-tenant, tenant 'acme' has",
    "total, the installation has"
  })
  void refusesMoreWaitingJobsOfAUserATenantOrAll(String bound, String text) {
    JobServiceBlockingStub alice = start(bounds(waiting(bound, 3)), Failpoint.Handler.NONE);
    submit(alice, submit("rnd-3", "r-0"));
    submit(alice, submit("rnd-1", "r-1"));
    BatchSubmitJobsRequest.Builder two = BatchSubmitJobsRequest.newBuilder().setParent(ACME);
    two.addRequests(submit("rnd-3", "r-2")).addRequests(submit("rnd-1", "r-3"));
    Refused.by(() -> alice.batchSubmitJobs(two.build()))
        .hasReason(Code.RESOURCE_EXHAUSTED, "TOO_MANY_WAITING")
        .names("requests[1].spec.queue", text)
        .names("requests[1].spec.queue", "as it may: 3 of 3 (bounds.waiting." + bound + ")");
    assertThat(submit(alice, submit("rnd-3", "r-2"))).as("nothing of it was stored").isNotEmpty();
  }

  @ParameterizedTest
  @CsvSource({"1000, QUEUE_FULL", "2, OVERLOADED"})
  void refusesSubmissionsThatThereIsNoRoomForAndLosesNone(int calls, String reason)
      throws Exception {
    CountDownLatch open = new CountDownLatch(1);
    AtomicInteger refused = new AtomicInteger();
    AtomicInteger asExpected = new AtomicInteger();
    JobServiceBlockingStub alice =
        start(
            new SchedulerConfig.Bounds(1000, 1, 1, SchedulerConfig.Waiting.DEFAULTS, calls, 64),
            point -> {
              if (point == Failpoint.BEFORE_COMMIT && isBlocking) {
                awaitQuietly(open);
              }
            });
    isBlocking = true;
    List<String> accepted = new ArrayList<>();
    try (ExecutorService callers = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<String>> answers = new ArrayList<>();
      for (int i = 0; i < 20; i++) {
        String name = "r-" + i;
        answers.add(
            callers.submit(() -> {
              try {
                return submit(alice, submit("rnd-3", name));
              } catch (StatusRuntimeException e) {
                Refusal refusal = GrpcFailures.refusal(e).orElseThrow();
                // The queue of one may be full as well, while the leader takes what is in it.
                assertThat(refusal.reason()).isIn(reason, "QUEUE_FULL");
                if (refusal.reason().equals(reason)) {
                  asExpected.incrementAndGet();
                }
                assertThat(refusal.retryAfter()).as("when to try again").isPositive();
                assertThat(e.getStatus().getCode()).isEqualTo(Code.RESOURCE_EXHAUSTED);
                refused.incrementAndGet();
                return "";
              }
            }));
      }
      FakeAgent.awaitThat(() -> asExpected.get() > 0);
      open.countDown();
      for (Future<String> answer : answers) {
        accepted.add(answer.get());
      }
    }
    accepted.removeIf(String::isEmpty);
    assertThat(accepted).hasSize(20 - refused.get()).isNotEmpty();
    for (String job : accepted) {
      awaitState(alice, job, Job.State.STATE_WAITING);
    }
  }

  private volatile boolean isBlocking;

  private static void awaitQuietly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Test
  void countsWhatMatchesWithTheFirstPageOnly() {
    JobServiceBlockingStub alice = start(SchedulerConfig.Bounds.DEFAULTS, Failpoint.Handler.NONE);
    for (int i = 0; i < 3; i++) {
      submit(alice, submit("rnd-3", "r-" + i));
    }
    alice.cancelJob(CancelJobRequest.newBuilder().setName(ACME + "/jobs/r-0").build());
    ListJobsRequest first = ListJobsRequest.newBuilder().setParent(ACME).setPageSize(2).build();
    ListJobsResponse page = alice.listJobs(first);
    assertThat(page.getCountsMap()).isEqualTo(Map.of("STATE_WAITING", 2L, "STATE_CANCELLED", 1L));
    ListJobsResponse next =
        alice.listJobs(first.toBuilder().setPageToken(page.getNextPageToken()).build());
    assertThat(next.getJobsCount()).isEqualTo(1);
    assertThat(next.getCountsMap()).isEmpty();
  }
}
