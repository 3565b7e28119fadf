package io.headgate.scheduler;

import com.google.common.util.concurrent.ListenableFuture;
import io.headgate.proto.scheduler.v1.GetJobRequest;
import io.headgate.proto.scheduler.v1.ListJobsRequest;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.HdrHistogram.Histogram;

/// The calls of a member who attacks nothing.
///
/// @param options how long they are measured
record LoadHonest(LoadBenchmark.Options options, LoadFigures figures, LoadClients clients) {
  /// Calls a second: a submission, a job read and a page of the list by turns.
  private static final int RATE = 30;

  private static final List<String> KINDS = List.of("submit", "get", "list");

  private static final double NANOS_PER_MILLI = 1e6;

  /// The 99th percentile of the honest member's calls, in milliseconds from when each was due.
  double measure(String name) {
    Histogram nanos = LoadFigures.histogram();
    List<Histogram> byKind = Stream.generate(LoadFigures::histogram).limit(KINDS.size()).toList();
    int calls = RATE * options.seconds();
    CountDownLatch answered = new CountDownLatch(calls);
    AtomicInteger failed = new AtomicInteger();
    String known = clients.name("honest");
    var _ = clients.stub(0).submitJob(LoadClients.request(Fixtures.submit(LoadRig.QUICK, known)));
    LoadLoops.open(
        RATE,
        calls,
        (number, due) -> {
          ListenableFuture<?> answer = call(number, known);
          answer.addListener(
              () -> {
                long took = System.nanoTime() - due;
                nanos.recordValue(took);
                byKind.get(number % KINDS.size()).recordValue(took);
                if (answer.state() != Future.State.SUCCESS) {
                  failed.incrementAndGet();
                }
                answered.countDown();
              },
              Runnable::run);
        });
    LoadLoops.await(answered);
    for (int i = 0; i < KINDS.size(); i++) {
      figures.times(name + "_" + KINDS.get(i), Map.of(), byKind.get(i));
    }
    figures.times(name, Map.of("rate", Integer.toString(RATE), "failed", failed.toString()), nanos);
    return nanos.getValueAtPercentile(99) / NANOS_PER_MILLI;
  }

  private ListenableFuture<?> call(int number, String known) {
    return switch (number % KINDS.size()) {
      case 0 -> clients.begin(number, List.of(clients.name("honest")));
      case 1 ->
          clients
              .future(number)
              .getJob(GetJobRequest.newBuilder().setName(Fixtures.ACME + "/jobs/" + known).build());
      default ->
          clients
              .future(number)
              .listJobs(
                  ListJobsRequest.newBuilder().setParent(Fixtures.ACME).setPageSize(100).build());
    };
  }
}
