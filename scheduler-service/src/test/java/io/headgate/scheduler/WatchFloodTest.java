package io.headgate.scheduler;

import static io.headgate.scheduler.Fixtures.ACME;
import static io.headgate.scheduler.Fixtures.submit;
import static io.headgate.scheduler.Installation.submit;
import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.Context;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.Status.Code;
import io.grpc.StatusRuntimeException;
import io.headgate.kit.failure.GrpcFailures;
import io.headgate.kit.testing.PostgresFixture;
import io.headgate.proto.scheduler.v1.BatchSubmitJobsRequest;
import io.headgate.proto.scheduler.v1.GetJobRequest;
import io.headgate.proto.scheduler.v1.JobServiceGrpc;
import io.headgate.proto.scheduler.v1.JobServiceGrpc.JobServiceBlockingStub;
import io.headgate.proto.scheduler.v1.WatchJobsRequest;
import io.headgate.proto.scheduler.v1.WatchJobsResponse;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/// A member floods the scheduler with waiting jobs and with watches whose client never reads. Once,
/// 90 such watches took the memory of 90 snapshots, and the process ended.
final class WatchFloodTest {
  @RegisterExtension static final PostgresFixture POSTGRES = PostgresFixture.of("scheduler");

  private static final int JOBS = 3000;
  private static final int BATCH = 250;
  private static final int WATCHES = 90;

  /// Heap that all watches together may take; 90 snapshots would take 700 MiB.
  private static final long MAY_TAKE = 64 << 20;

  private static final WatchJobsRequest ALL = WatchJobsRequest.newBuilder().setParent(ACME).build();

  private Installation installation;
  private JobServiceBlockingStub alice;

  @BeforeEach
  void flood() {
    installation = new Installation(POSTGRES.fresh(), config -> config);
    Fixtures.seedExample(installation.neighbours);
    installation.start().awaitReady("rnd-3");
    alice = installation.alice();
    for (int i = 0; i < JOBS; i += BATCH) {
      BatchSubmitJobsRequest.Builder batch = BatchSubmitJobsRequest.newBuilder().setParent(ACME);
      for (int j = 0; j < BATCH; j++) {
        var job = submit("rnd-3").toBuilder();
        for (int label = 0; label < 10; label++) {
          job.getSpecBuilder().putLabels("label-" + label, "x".repeat(250));
        }
        batch.addRequests(job);
      }
      alice.batchSubmitJobs(batch.build());
    }
  }

  @AfterEach
  void stop() {
    installation.close();
  }

  @Test
  void watchesThatAreNotReadTakeLittleMemoryAndOthersAreServed() {
    long before = heapInUse();
    List<ClientCall<WatchJobsRequest, WatchJobsResponse>> stuck = new ArrayList<>();
    Channel connection = installation.narrow();
    for (int i = 0; i < WATCHES; i++) {
      stuck.add(neverReading(connection));
    }
    FakeAgent.awaitThat(() -> installation.calls() >= WATCHES);
    // Another member submits and reads, and an admin follows all jobs from the first to the last.
    JobServiceBlockingStub eve = installation.eve();
    submit(eve, submit("devops-3", "honest"));
    String honest = ACME + "/jobs/honest";
    assertThat(eve.getJob(GetJobRequest.newBuilder().setName(honest).build()).getName())
        .isEqualTo(honest);
    assertThat(snapshot(installation.jobs(installation.tokens.admin("acme")))).isEqualTo(JOBS + 1);
    assertThat(heapInUse() - before).isLessThan(MAY_TAKE);
    assertThat(installation.calls()).isGreaterThanOrEqualTo(WATCHES);
    stuck.forEach(call -> call.cancel("done", null));
  }

  @Test
  void aCallerHasNoMoreWatchesThanItMay() {
    List<StatusRuntimeException> ended = new CopyOnWriteArrayList<>();
    List<ClientCall<WatchJobsRequest, WatchJobsResponse>> stuck = new ArrayList<>();
    Channel connection = installation.narrow();
    for (int i = 0; i < 300; i++) {
      if (i % WATCHES == 0) {
        connection = installation.narrow();
      }
      stuck.add(neverReading(connection, ended::add));
    }
    FakeAgent.awaitThat(() -> ended.stream().anyMatch(WatchFloodTest::isOfNumber));
    Refused.by(
            () -> {
              throw ended.stream().filter(WatchFloodTest::isOfNumber).findFirst().orElseThrow();
            })
        .hasReason(Code.RESOURCE_EXHAUSTED, "TOO_MANY_WATCHERS")
        .says("limit", "200");
    assertThat(snapshot(installation.jobs(installation.tokens.admin("acme")))).isEqualTo(JOBS);
    stuck.forEach(call -> call.cancel("done", null));
  }

  private static boolean isOfNumber(StatusRuntimeException refusal) {
    return GrpcFailures.refusal(refusal)
        .filter(each -> each.reason().equals("TOO_MANY_WATCHERS"))
        .isPresent();
  }

  private static ClientCall<WatchJobsRequest, WatchJobsResponse> neverReading(Channel connection) {
    return neverReading(connection, _ -> {});
  }

  private static ClientCall<WatchJobsRequest, WatchJobsResponse> neverReading(
      Channel connection, Consumer<StatusRuntimeException> ended) {
    ClientCall<WatchJobsRequest, WatchJobsResponse> call =
        connection.newCall(JobServiceGrpc.getWatchJobsMethod(), CallOptions.DEFAULT);
    call.start(
        new ClientCall.Listener<>() {
          @Override
          public void onClose(Status status, Metadata trailers) {
            ended.accept(status.asRuntimeException(trailers));
          }
        },
        new Metadata());
    call.sendMessage(ALL);
    call.halfClose();
    return call;
  }

  /// The number of jobs in a snapshot, each message of which is small.
  private static int snapshot(JobServiceBlockingStub stub) {
    Context.CancellableContext call = Context.current().withCancellation();
    Context before = call.attach();
    try {
      Iterator<WatchJobsResponse> watch = stub.watchJobs(ALL);
      int jobs = 0;
      WatchJobsResponse part;
      do {
        part = watch.next();
        assertThat(part.getSerializedSize()).isLessThan(200 << 10);
        jobs += part.getJobsCount();
      } while (!part.getSnapshotComplete());
      return jobs;
    } finally {
      call.detach(before);
      call.cancel(null);
    }
  }

  private static long heapInUse() {
    System.gc();
    return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
  }
}
