package io.headgate.scheduler;

import static io.headgate.scheduler.Fixtures.ACME;
import static io.headgate.scheduler.Fixtures.submit;
import static io.headgate.scheduler.Installation.submit;
import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.Context;
import io.grpc.Status.Code;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.ClientCallStreamObserver;
import io.grpc.stub.ClientResponseObserver;
import io.headgate.kit.failure.GrpcFailures;
import io.headgate.kit.testing.PostgresFixture;
import io.headgate.kit.watch.WatchLimits;
import io.headgate.proto.scheduler.v1.BatchSubmitJobsRequest;
import io.headgate.proto.scheduler.v1.CancelJobRequest;
import io.headgate.proto.scheduler.v1.Event;
import io.headgate.proto.scheduler.v1.Job;
import io.headgate.proto.scheduler.v1.JobServiceGrpc;
import io.headgate.proto.scheduler.v1.JobServiceGrpc.JobServiceBlockingStub;
import io.headgate.proto.scheduler.v1.ListEventsRequest;
import io.headgate.proto.scheduler.v1.WatchEventsRequest;
import io.headgate.proto.scheduler.v1.WatchEventsResponse;
import io.headgate.proto.scheduler.v1.WatchJobsRequest;
import io.headgate.proto.scheduler.v1.WatchJobsResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/// A watch of jobs or events, resumed from any version, misses no change and repeats none. A client
/// that does not read hurts only itself.
final class WatchesTest {
  @RegisterExtension static final PostgresFixture POSTGRES = PostgresFixture.of("scheduler");

  /// Long enough for a reader that reads, on a machine that is slow.
  private static final WatchLimits IMPATIENT =
      new WatchLimits(Duration.ofSeconds(10), Duration.ofSeconds(8), 100);

  private Installation installation;
  private JobServiceBlockingStub alice;

  @BeforeEach
  void start() {
    installation =
        new Installation(
            POSTGRES.fresh(),
            config ->
                new SchedulerConfig(
                    config.database(),
                    config.secretsDirectory(),
                    config.replica(),
                    config.advertisedAddress(),
                    config.pools(),
                    config.policies(),
                    config.serviceKey(),
                    config.placement(),
                    config.mayLead(),
                    config.group(),
                    config.leading(),
                    config.bounds(),
                    config.history(),
                    config.usage(),
                    IMPATIENT));
    Fixtures.seedExample(installation.neighbours);
    installation.start().awaitReady("rnd-3");
    alice = installation.alice();
  }

  @AfterEach
  void stop() {
    installation.close();
  }

  /// Watches as long as `read` does.
  private static <T> T watching(Function<Context, T> read) {
    Context.CancellableContext call = Context.current().withCancellation();
    Context before = call.attach();
    try {
      return read.apply(call);
    } finally {
      call.detach(before);
      call.cancel(null);
    }
  }

  /// Before the first step of a watch.
  private static final WatchJobsResponse NONE = WatchJobsResponse.getDefaultInstance();

  private List<WatchJobsResponse> jobsUntil(WatchJobsResponse from, String job, Job.State state) {
    WatchJobsRequest request =
        WatchJobsRequest.newBuilder()
            .setParent(ACME)
            .setVersion(from.getVersion())
            .setVisibilityHash(from.getVisibilityHash())
            .build();
    return watching(_ -> {
      List<WatchJobsResponse> steps = new ArrayList<>();
      Iterator<WatchJobsResponse> watch = alice.watchJobs(request);
      boolean found = false;
      while (!found) {
        WatchJobsResponse step = watch.next();
        steps.add(step);
        found =
            step.getJobsList().stream()
                .anyMatch(each ->
                    each.getName().equals(ACME + "/jobs/" + job) && each.getState() == state);
      }
      return steps;
    });
  }

  private void cancel(String job) {
    alice.cancelJob(CancelJobRequest.newBuilder().setName(ACME + "/jobs/" + job).build());
  }

  @Test
  void resumesAWatchOfJobsWithWhatChangedSince() {
    submit(alice, submit("rnd-3", "r-0"));
    submit(alice, submit("rnd-3", "r-1"));
    List<WatchJobsResponse> first = jobsUntil(NONE, "r-1", Job.State.STATE_WAITING);
    assertThat(first.getFirst().getSnapshot()).isTrue();
    WatchJobsResponse seen = first.getLast();
    cancel("r-0");
    submit(alice, submit("rnd-3", "r-2"));
    List<WatchJobsResponse> then = jobsUntil(seen, "r-2", Job.State.STATE_WAITING);
    assertThat(then).noneMatch(WatchJobsResponse::getSnapshot);
    assertThat(then.stream().flatMap(step -> step.getJobsList().stream()))
        .extracting(Job::getName)
        .contains(ACME + "/jobs/r-0", ACME + "/jobs/r-2");
    assertThat(then.stream().flatMap(step -> step.getJobsList().stream()))
        .filteredOn(job -> job.getName().endsWith("r-0"))
        .extracting(Job::getState)
        .containsOnly(Job.State.STATE_CANCELLED);
    assertThat(then).extracting(WatchJobsResponse::getVersion).isSorted();
  }

  @Test
  void beginsAnewWithAVersionThatIsYetToCome() {
    submit(alice, submit("rnd-3", "r-0"));
    WatchJobsResponse seen = jobsUntil(NONE, "r-0", Job.State.STATE_WAITING).getLast();
    List<WatchJobsResponse> steps =
        jobsUntil(seen.toBuilder().setVersion(1_000_000).build(), "r-0", Job.State.STATE_WAITING);
    assertThat(steps.getFirst().getSnapshot()).isTrue();
    assertThat(steps.getLast().getVersion()).isLessThan(1_000_000);
  }

  private List<Event> eventsUntil(long from, String message) {
    return watching(_ -> {
      List<Event> events = new ArrayList<>();
      Iterator<WatchEventsResponse> watch =
          alice.watchEvents(
              WatchEventsRequest.newBuilder().setParent(ACME).setVersion(from).build());
      while (events.stream().noneMatch(event -> event.getMessage().equals(message))) {
        events.addAll(watch.next().getEventsList());
      }
      return events;
    });
  }

  @Test
  void missesNoEventAndTellsNoneTwiceHoweverOftenAWatchIsResumed() {
    List<Event> told = new ArrayList<>();
    long seen = 1;
    for (int i = 0; i < 10; i++) {
      submit(alice, submit("rnd-3", "r-" + i));
      cancel("r-" + i);
      List<Event> events = eventsUntil(seen, "r-" + i + " is cancelled by alice");
      told.addAll(events);
      seen = events.getLast().getVersion();
    }
    List<Long> all =
        alice
            .listEvents(ListEventsRequest.newBuilder().setParent(ACME).setPageSize(1000).build())
            .getEventsList()
            .reversed()
            .stream()
            .map(Event::getVersion)
            .filter(version -> version > 1)
            .toList();
    assertThat(told).extracting(Event::getVersion).isEqualTo(all);
  }

  /// Reads only when told to.
  private static final class Reader
      implements ClientResponseObserver<WatchJobsRequest, WatchJobsResponse> {
    private final AtomicReference<Throwable> end = new AtomicReference<>();
    private volatile ClientCallStreamObserver<WatchJobsRequest> call;

    @Override
    public void beforeStart(ClientCallStreamObserver<WatchJobsRequest> stream) {
      stream.disableAutoRequestWithInitial(1);
      call = stream;
    }

    @Override
    public void onNext(WatchJobsResponse step) {}

    @Override
    public void onError(Throwable failure) {
      end.set(failure);
    }

    @Override
    public void onCompleted() {}
  }

  @Test
  void cutsAReaderThatDoesNotReadAndServesTheOthers() {
    BatchSubmitJobsRequest.Builder batch = BatchSubmitJobsRequest.newBuilder().setParent(ACME);
    for (int i = 0; i < 2000; i++) {
      var job = submit("rnd-3").toBuilder();
      for (int label = 0; label < 10; label++) {
        job.getSpecBuilder().putLabels("label-" + label, "x".repeat(250));
      }
      batch.addRequests(job);
      if (batch.getRequestsCount() == 250) {
        alice.batchSubmitJobs(batch.build());
        batch.clearRequests();
      }
    }
    Reader reader = new Reader();
    JobServiceGrpc.newStub(alice.getChannel())
        .withCallCredentials(alice.getCallOptions().getCredentials())
        .watchJobs(WatchJobsRequest.newBuilder().setParent(ACME).build(), reader);
    FakeAgent.awaitThat(() -> reader.call != null);
    // Others are served while it does not read.
    List<WatchJobsResponse> whole =
        watching(_ -> {
          List<WatchJobsResponse> steps = new ArrayList<>();
          Iterator<WatchJobsResponse> watch =
              alice.watchJobs(WatchJobsRequest.newBuilder().setParent(ACME).build());
          do {
            steps.add(watch.next());
          } while (!steps.getLast().getSnapshotComplete());
          return steps;
        });
    assertThat(whole.stream().mapToInt(WatchJobsResponse::getJobsCount).sum()).isEqualTo(2000);
    submit(alice, submit("rnd-1", "quick"));
    long begun = System.nanoTime();
    long twicePatience = 2 * IMPATIENT.patience().toNanos();
    FakeAgent.awaitThat(() -> System.nanoTime() - begun > twicePatience);
    // The client can still read the messages sent before the cut, and then gets the reason.
    FakeAgent.awaitThat(() -> {
      reader.call.request(1);
      return reader.end.get() != null;
    });
    StatusRuntimeException failure = (StatusRuntimeException) reader.end.get();
    assertThat(failure.getStatus().getCode()).isEqualTo(Code.UNAVAILABLE);
    assertThat(GrpcFailures.refusal(failure).orElseThrow().reason()).isEqualTo("WATCHER_TOO_SLOW");
  }
}
