package io.headgate.scheduler;

import com.google.common.util.concurrent.ListenableFuture;
import io.grpc.Status;
import io.grpc.health.v1.HealthCheckRequest;
import io.grpc.health.v1.HealthGrpc;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.HdrHistogram.Histogram;

/// Submissions until they are durable: as many as can be, at loads below that, and at twice as
/// many.
final class LoadSubmissions {
  private static final int IN_FLIGHT = 64;
  private static final int BATCHES_IN_FLIGHT = 8;
  private static final int BATCH = 100;
  private static final int GOAL = 3_000;
  private static final int BATCHED_GOAL = 20_000;
  private static final List<Integer> LOADS = List.of(1, 10, 50);
  private static final double MOST_CPU_MILLIS = 0.5;

  /// One connection takes a hundred calls at a time; more would wait at the client.
  private static final int CROWDED = 50;

  private static final Duration CALLER = Duration.ofSeconds(5);
  private static final double NANOS_PER_SECOND = 1e9;

  private final LoadRig rig;
  private final LoadBenchmark.Options options;
  private final LoadFigures figures;
  private final LoadBenchmark.Heard heard;
  private final LoadClients clients;

  LoadSubmissions(
      LoadRig rig,
      LoadBenchmark.Options options,
      LoadFigures figures,
      LoadBenchmark.Heard heard,
      LoadClients clients) {
    this.rig = rig;
    this.options = options;
    this.figures = figures;
    this.heard = heard;
    this.clients = clients;
  }

  /// Processor milliseconds that scheduler and database used for each job since `before`.
  ///
  /// @param call what a call that does nothing costs at that rate
  void cpu(String name, Map<String, String> parameters, double[] before, double jobs, double call) {
    double[] now = rig.cpuSeconds();
    boolean isFull = name.equals("life_cycle") && parameters.get("rate").equals("1000");
    figures.print(
        name + "_cpu",
        parameters,
        (now[0] - before[0]) * 1000 / jobs,
        "ms",
        call,
        isFull ? OptionalDouble.of(MOST_CPU_MILLIS) : OptionalDouble.empty());
    figures.print(name + "_database_cpu", parameters, (now[1] - before[1]) * 1000 / jobs, "ms");
  }

  /// The processor milliseconds that the same server spends per call that does nothing
  /// (`grpc.health.v1`), its background work included.
  ///
  /// @param rate calls per second
  double bareCall(int rate) {
    HealthGrpc.HealthFutureStub health = HealthGrpc.newFutureStub(rig.channel());
    int calls = rate * Math.max(1, options.seconds() / 3);
    CountDownLatch answered = new CountDownLatch(calls);
    double before = rig.cpuSeconds()[0];
    LoadLoops.open(
        rate,
        calls,
        (_, _) ->
            health
                .check(HealthCheckRequest.getDefaultInstance())
                .addListener(answered::countDown, Runnable::run));
    LoadLoops.await(answered);
    double millis = (rig.cpuSeconds()[0] - before) * 1000 / calls;
    figures.print("calibration_call_cpu", Map.of("rate", Integer.toString(rate)), millis, "ms");
    return millis;
  }

  /// The rate of single submissions with 64 calls in flight.
  ///
  /// @return jobs per second
  double unary(String name, String queue) {
    Histogram nanos = LoadFigures.histogram();
    double[] before = rig.cpuSeconds();
    double rate =
        LoadLoops.closed(
            IN_FLIGHT,
            options.seconds(),
            client -> {
              long begun = System.nanoTime();
              clients.submit(client, queue);
              nanos.recordValue(System.nanoTime() - begun);
            });
    double inserts = figures.machine().insertsPerSecond();
    Map<String, String> parameters = Map.of("inFlight", "64");
    figures.print(name, parameters, rate, "jobs/s", inserts, OptionalDouble.of(0.3 * inserts));
    cpu(name, parameters, before, nanos.getTotalCount(), 0);
    return rate;
  }

  void batches() {
    AtomicInteger jobs = new AtomicInteger();
    double[] before = rig.cpuSeconds();
    double rate =
        LoadLoops.closed(
            BATCHES_IN_FLIGHT,
            options.seconds(),
            client -> {
              clients.submitBatch(client, LoadRig.crowd(client), BATCH);
              jobs.addAndGet(BATCH);
            });
    figures.print(
        "submit_batch",
        Map.of("inFlight", "8", "batch", "100"),
        rate * BATCH,
        "jobs/s",
        figures.machine().batchRowsPerSecond(),
        OptionalDouble.of(BATCHED_GOAL));
    cpu("submit_batch", Map.of("batch", "100"), before, jobs.get(), 0);
  }

  /// Single submissions and hundreds, at percentages of the goal. The time counts from when each
  /// was due until it is durable.
  void atLoads() {
    for (int percent : LOADS) {
      acknowledged(percent, GOAL * percent / 100, 1);
      acknowledged(percent, BATCHED_GOAL / BATCH * percent / 100, BATCH);
    }
  }

  private void acknowledged(int percent, int rate, int jobs) {
    Histogram nanos = LoadFigures.histogram();
    int calls = rate * options.seconds();
    CountDownLatch answered = new CountDownLatch(calls);
    AtomicInteger refused = new AtomicInteger();
    LoadLoops.open(
        rate,
        calls,
        (number, due) -> {
          String queue = LoadRig.crowd(number);
          ListenableFuture<?> answer =
              jobs == 1
                  ? clients.future(number).submitJob(LoadClients.request(Fixtures.submit(queue)))
                  : clients.future(number).batchSubmitJobs(LoadClients.batch(queue, jobs));
          answer.addListener(
              () -> {
                if (answer.state() == Future.State.SUCCESS) {
                  nanos.recordValue(System.nanoTime() - due);
                } else {
                  refused.incrementAndGet();
                }
                answered.countDown();
              },
              Runnable::run);
        });
    LoadLoops.await(answered);
    figures.times(
        "submit_ack_at_load",
        Map.of(
            "percent",
            Integer.toString(percent),
            "rate",
            Integer.toString(rate * jobs),
            "batch",
            Integer.toString(jobs),
            "refused",
            Integer.toString(refused.get())),
        nanos);
  }

  /// Twice as many calls as the scheduler can answer, from clients with a deadline of five seconds.
  ///
  /// Compares the accepted calls with the highest rate, and measures what agents notice. Scheduler
  /// and database have one half of the processors, clients and agents the other.
  void overload() {
    try (var _ = rig.apart()) {
      overloaded();
    }
  }

  private void overloaded() {
    double most = unary("submit_unary_before_overload", LoadRig.crowd(0));
    LoadClients crowd = new LoadClients(rig, CROWDED);
    Histogram heartbeats = LoadFigures.histogram();
    heard.onAnswer(heartbeats::recordValue);
    int rate = (int) (2 * most);
    int calls = rate * options.seconds();
    AtomicInteger taken = new AtomicInteger();
    Map<String, Integer> refused = new ConcurrentHashMap<>();
    CountDownLatch answered = new CountDownLatch(calls);
    long begun = System.nanoTime();
    LoadLoops.open(
        rate,
        calls,
        (number, _) -> {
          ListenableFuture<?> answer =
              crowd
                  .future(number)
                  .withDeadlineAfter(CALLER)
                  .submitJob(LoadClients.request(Fixtures.submit(LoadRig.crowd(number))));
          answer.addListener(
              () -> {
                if (answer.state() == Future.State.SUCCESS) {
                  taken.incrementAndGet();
                } else {
                  refused.merge(
                      Status.fromThrowable(answer.exceptionNow()).getCode().name(),
                      1,
                      Integer::sum);
                }
                answered.countDown();
              },
              Runnable::run);
        });
    LoadLoops.await(answered);
    double seconds = (System.nanoTime() - begun) / NANOS_PER_SECOND;
    heard.onAnswer(_ -> {});
    figures.print(
        "overload_taken",
        Map.of("offered", Integer.toString(rate), "refused", new TreeMap<>(refused).toString()),
        taken.get() / seconds,
        "jobs/s",
        most,
        OptionalDouble.of(0.8 * most));
    figures.times("overload_heartbeat", Map.of("offered", Integer.toString(rate)), heartbeats);
  }
}
