package io.headgate.sdk.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import com.google.protobuf.ByteString;
import com.google.protobuf.Timestamp;
import io.grpc.Status;
import io.grpc.stub.StreamObserver;
import io.headgate.proto.scheduler.v1.Job;
import io.headgate.proto.scheduler.v1.ReadJobLogsResponse;
import io.headgate.proto.scheduler.v1.WatchJobsRequest;
import io.headgate.proto.scheduler.v1.WatchJobsResponse;
import io.headgate.sdk.gate.TestGate;
import io.headgate.sdk.gate.TestJobs;
import io.headgate.sdk.model.HeadgateException;
import io.headgate.sdk.model.JobChange;
import io.headgate.sdk.model.JobFilter;
import io.headgate.sdk.model.JobSpec;
import io.headgate.sdk.model.JobState;
import io.headgate.sdk.model.LogPiece;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class WatchTest {
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private final TestGate gate = TestGate.open();
  private final HeadgateClient client = HeadgateClient.connect(gate.config());
  private final JobClient jobs = client.jobs("acme");

  @AfterEach
  void close() {
    client.close();
    gate.close();
  }

  @Test
  void resumesFromTheLastVersionAfterABrokenStream() {
    jobs.submit(JobSpec.of("q", List.of("a")));
    try (JobWatcher watcher = jobs.watch(JobFilter.ALL)) {
      JobChange snapshot = watcher.next();
      assertThat(snapshot.reset()).isTrue();
      assertThat(snapshot.complete()).isTrue();

      gate.jobs.breakWatchesAndChange(Status.UNAVAILABLE, "q-1", running());
      JobChange change = watcher.next();

      assertThat(change.reset()).isFalse();
      assertThat(change.jobs().getFirst().state()).isEqualTo(JobState.RUNNING);
      assertThat(gate.jobs.watches)
          .extracting(WatchJobsRequest::getVersion)
          .containsExactly(0L, snapshot.version());
      assertThat(gate.jobs.watches.getLast().getVisibilityHash())
          .isEqualTo(TestJobs.VISIBILITY_HASH);
    }
  }

  @Test
  void resumesAfterAResetAndAfterAnOrderlyEnd() {
    try (JobWatcher watcher = jobs.watch(JobFilter.ALL)) {
      watcher.next();
      gate.jobs.breakWatches(Status.INTERNAL.withDescription("RST_STREAM"));
      watcher.next();
      await().atMost(PATIENCE).until(() -> gate.jobs.watcherCount() == 1);
      gate.jobs.breakWatches(Status.CANCELLED);
      watcher.next();
      gate.tokens.revokeAll();
      gate.jobs.breakWatches(Status.UNAVAILABLE);
      assertThat(watcher.next()).isNotNull();
    }
    assertThat(gate.count("WatchJobs"))
        .isEqualTo(5); // One of these calls was refused for its token.
  }

  /// The configuration lets calls fail at once; a stream that ran still resumes.
  @Test
  void outlivesARestartOfTheServer() throws Exception {
    try (HeadgateClient hasty = HeadgateClient.connect(gate.config().withPatience(Duration.ZERO));
        JobWatcher watcher = hasty.jobs("acme").watch(JobFilter.ALL)) {
      long version = watcher.next().version();
      int port = gate.port();
      gate.close();
      CompletableFuture<JobChange> change = CompletableFuture.supplyAsync(watcher::next);

      try (TestGate restarted = TestGate.openAt(port)) {
        assertThat(change.get(60, TimeUnit.SECONDS)).isNotNull();
        assertThat(restarted.jobs.watches.getFirst().getVersion()).isEqualTo(version);
      }
    }
  }

  @Test
  void beginsAgainWhenASnapshotBroke() {
    try (JobWatcher watcher = jobs.watch(JobFilter.ALL)) {
      watcher.next();
      gate.jobs.sendToWatchers(
          WatchJobsResponse.newBuilder().setVersion(500).setSnapshot(true).build());
      assertThat(watcher.next().complete()).isFalse();
      gate.jobs.breakWatches(Status.UNAVAILABLE);
      watcher.next();

      assertThat(gate.jobs.watches.getLast().getVersion()).isEqualTo(100);
    }
  }

  @Test
  void doesNotResumeWhatIsRefused() {
    gate.failNext(
        "WatchJobs",
        TestGate.refusal(Status.Code.PERMISSION_DENIED, "FOREIGN_TENANT", "not yours"));
    try (JobWatcher watcher = jobs.watch(JobFilter.ALL)) {
      assertThat(catchThrowableOfType(HeadgateException.class, watcher::next).reason())
          .isEqualTo("FOREIGN_TENANT");
    }
    assertThat(gate.count("WatchJobs")).isEqualTo(1);
  }

  @Test
  void closingEndsARead() throws Exception {
    JobWatcher watcher = jobs.watch(JobFilter.ALL);
    watcher.next();
    CompletableFuture<Optional<JobChange>> read =
        CompletableFuture.supplyAsync(() -> Optional.ofNullable(watcher.next()));

    watcher.close();

    assertThat(read.get(60, TimeUnit.SECONDS)).isEmpty();
    await().atMost(PATIENCE).until(() -> gate.jobs.watcherCount() == 0);
  }

  @Test
  void awaitsAState() {
    jobs.submit(JobSpec.of("q", List.of("a")));
    CompletableFuture<Optional<io.headgate.sdk.model.Job>> waited =
        CompletableFuture.supplyAsync(
            () -> jobs.await("q-1", job -> job.state().isFinal(), PATIENCE));
    await().atMost(PATIENCE).until(() -> gate.jobs.watcherCount() == 1);
    gate.jobs.change("q-1", running());
    gate.jobs.change("q-1", done());

    assertThat(waited.join()).hasValueSatisfying(job -> assertThat(job.exitCode()).isZero());
  }

  /// Reasons and expected starts change while the stored job, and so its version, stays.
  @Test
  void awaitsWhatTheLeaderSaysOfAnUnchangedJob() {
    jobs.submit(JobSpec.of("q", List.of("a")));
    CompletableFuture<Optional<io.headgate.sdk.model.Job>> waited =
        CompletableFuture.supplyAsync(
            () -> jobs.await("q-1", job -> job.expectedStartTime() != null, PATIENCE));
    await().atMost(PATIENCE).until(() -> gate.jobs.watcherCount() == 1);
    gate.jobs.sendToWatchers(
        WatchJobsResponse.newBuilder()
            .setVersion(500)
            .addJobs(
                gate.jobs.job("q-1").toBuilder()
                    .setExpectedStartTime(Timestamp.newBuilder().setSeconds(1_000)))
            .build());

    assertThat(waited.join())
        .hasValueSatisfying(
            job -> assertThat(job.expectedStartTime()).isEqualTo(Instant.ofEpochSecond(1_000)));
  }

  @Test
  void stopsAwaitingInTime() {
    jobs.submit(JobSpec.of("q", List.of("a")));

    assertThat(jobs.await("q-1", job -> job.state().isFinal(), Duration.ofMillis(20))).isEmpty();
    await().atMost(PATIENCE).until(() -> gate.jobs.watcherCount() == 0);
  }

  @Test
  void readsEachByteOnceAlthoughTheStreamBreaks() {
    jobs.submit(JobSpec.of("q", List.of("a")));
    gate.jobs.logs =
        (request, answer) -> {
          answer.onNext(piece("hello ", 0));
          if (gate.jobs.logRequests.size() == 1) {
            answer.onError(Status.UNAVAILABLE.asRuntimeException());
            return;
          }
          assertThat(request.getAttempt()).isEqualTo(3);
          answer.onNext(piece("lo world", 3));
          answer.onCompleted();
        };
    StringBuilder text = new StringBuilder();

    try (LogStream stream = jobs.logs("q-1", LogOptions.ALL)) {
      for (LogPiece piece = stream.next(); piece != null; piece = stream.next()) {
        text.append(new String(piece.data(), StandardCharsets.UTF_8));
      }
    }

    assertThat(text).hasToString("hello world");
  }

  @Test
  void followsAJobThroughItsAttempts() throws Exception {
    jobs.submit(JobSpec.of("q", List.of("a")));
    gate.jobs.logs = (request, answer) -> print(answer, request.getAttempt());
    List<JobState> states = new CopyOnWriteArrayList<>();
    List<String> printed = new CopyOnWriteArrayList<>();
    CompletableFuture<io.headgate.sdk.model.Job> followed =
        CompletableFuture.supplyAsync(() -> jobs.follow("q-1", listener(states, printed)));
    await().atMost(PATIENCE).until(() -> gate.jobs.watcherCount() == 1);

    gate.jobs.change("q-1", running());
    await().atMost(PATIENCE).until(() -> printed.size() == 1);
    gate.jobs.change("q-1", job -> job.toBuilder().setState(Job.State.STATE_WAITING).build());
    gate.jobs.change(
        "q-1", job -> job.toBuilder().setState(Job.State.STATE_RUNNING).setAttempt(2).build());
    await().atMost(PATIENCE).until(() -> printed.size() == 2);
    gate.jobs.change("q-1", done());

    assertThat(followed.get(60, TimeUnit.SECONDS).state()).isEqualTo(JobState.DONE);
    assertThat(printed).containsExactly("attempt 1", "attempt 2");
    assertThat(states)
        .containsExactly(
            JobState.WAITING, JobState.RUNNING, JobState.WAITING, JobState.RUNNING, JobState.DONE);
  }

  private static JobFollower.Listener listener(List<JobState> states, List<String> printed) {
    return new JobFollower.Listener() {
      @Override
      public void changed(io.headgate.sdk.model.Job job) {
        states.add(job.state());
      }

      @Override
      public void printed(LogPiece piece) {
        printed.add(new String(piece.data(), StandardCharsets.UTF_8));
      }
    };
  }

  private static void print(StreamObserver<ReadJobLogsResponse> answer, int attempt) {
    answer.onNext(
        ReadJobLogsResponse.newBuilder()
            .setStream(ReadJobLogsResponse.Stream.STREAM_STDOUT)
            .setAttempt(attempt)
            .setData(ByteString.copyFromUtf8("attempt " + attempt))
            .build());
    answer.onCompleted();
  }

  private static ReadJobLogsResponse piece(String text, long offset) {
    return ReadJobLogsResponse.newBuilder()
        .setStream(ReadJobLogsResponse.Stream.STREAM_STDOUT)
        .setAttempt(3)
        .setOffset(offset)
        .setData(ByteString.copyFromUtf8(text))
        .build();
  }

  private static java.util.function.UnaryOperator<Job> running() {
    return job -> job.toBuilder().setState(Job.State.STATE_RUNNING).setAttempt(1).build();
  }

  private static java.util.function.UnaryOperator<Job> done() {
    return job -> job.toBuilder().setState(Job.State.STATE_DONE).setExitCode(0).build();
  }
}
