package io.headgate.scheduler;

import com.google.common.util.concurrent.ListenableFuture;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.Metadata;
import io.grpc.Status;
import io.headgate.kit.failure.GrpcFailures;
import io.headgate.kit.failure.Refusal;
import io.headgate.proto.scheduler.v1.GetJobRequest;
import io.headgate.proto.scheduler.v1.JobServiceGrpc;
import io.headgate.proto.scheduler.v1.ListJobsRequest;
import io.headgate.proto.scheduler.v1.PlanConfigurationRequest;
import io.headgate.proto.scheduler.v1.PlanServiceGrpc;
import io.headgate.proto.scheduler.v1.WatchJobsRequest;
import io.headgate.proto.scheduler.v1.WatchJobsResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.HdrHistogram.Histogram;

/// Members flood the scheduler: a million jobs to wait, a thousand watches of which nine in ten are
/// never read, and six plans at a time. Another member's calls go on.
final class LoadAttack {
  private static final int ATTACKERS = 10;
  private static final int JOBS = 1_000_000;
  private static final int BATCH = 5_000;
  private static final int WATCHES = 1_000;
  private static final int READING = 10;
  private static final int PLANS = 6;

  /// Honest calls a second: a submission, a job read and a page of the list by turns.
  private static final int RATE = 30;

  private static final double NANOS_PER_MILLI = 1e6;
  private static final double BYTES_PER_MIB = 1 << 20;
  private static final long PAUSE_MILLIS = 200;

  private final LoadRig rig;
  private final LoadBenchmark.Options options;
  private final LoadFigures figures;
  private final LoadClients clients;
  private final AtomicBoolean over = new AtomicBoolean();
  private final AtomicInteger taken = new AtomicInteger();
  private final AtomicInteger planned = new AtomicInteger();
  private final AtomicInteger parts = new AtomicInteger();
  private final Map<String, Integer> refused = new ConcurrentHashMap<>();
  private final ConcurrentLinkedQueue<ClientCall<?, ?>> watches = new ConcurrentLinkedQueue<>();

  LoadAttack(LoadRig rig, LoadBenchmark.Options options, LoadFigures figures, LoadClients clients) {
    this.rig = rig;
    this.options = options;
    this.figures = figures;
    this.clients = clients;
  }

  void measure() {
    double before = honest("attack_before");
    List<Thread> attackers = attack();
    double during = honest("attack_during");
    over.set(true);
    watches.forEach(call -> call.cancel("the attack is over", null));
    attackers.forEach(LoadAttack::join);
    Map<String, String> parameters =
        Map.of(
            "taken", taken.toString(),
            "plans", planned.toString(),
            "parts", parts.toString(),
            "refused", new TreeMap<>(refused).toString());
    figures.print("attack_p99_factor", parameters, during / before, "x", 0, OptionalDouble.of(2));
    long[] memory = rig.memoryBytes();
    figures.print("attack_memory", Map.of(), memory[0] / BYTES_PER_MIB, "MiB");
    figures.print("attack_heap", Map.of(), memory[1] / BYTES_PER_MIB, "MiB");
    honest("attack_after");
  }

  /// The 99th percentile of the honest member's calls, in milliseconds from when each was due.
  private double honest(String name) {
    Histogram nanos = LoadFigures.histogram();
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
                nanos.recordValue(System.nanoTime() - due);
                if (answer.state() != Future.State.SUCCESS) {
                  failed.incrementAndGet();
                }
                answered.countDown();
              },
              Runnable::run);
        });
    LoadLoops.await(answered);
    figures.times(name, Map.of("rate", Integer.toString(RATE), "failed", failed.toString()), nanos);
    return nanos.getValueAtPercentile(99) / NANOS_PER_MILLI;
  }

  private ListenableFuture<?> call(int number, String known) {
    return switch (number % 3) {
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

  private List<Thread> attack() {
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < ATTACKERS; i++) {
      int attacker = i;
      threads.add(Thread.ofVirtual().start(() -> flood(attacker)));
      for (int j = 0; j < WATCHES / ATTACKERS; j++) {
        watch(rig.attacker(attacker, j / 50), j % READING == 0);
      }
    }
    for (int i = 0; i < PLANS; i++) {
      int attacker = i;
      threads.add(Thread.ofVirtual().start(() -> plan(attacker)));
    }
    return threads;
  }

  private void flood(int attacker) {
    var jobs = JobServiceGrpc.newBlockingStub(rig.attacker(attacker, 2));
    for (int i = 0; i < JOBS / ATTACKERS && !over.get(); i += BATCH) {
      if (isTaken(
          () -> {
            var _ = jobs.batchSubmitJobs(LoadClients.batch(LoadRig.crowd(attacker), BATCH));
          })) {
        taken.addAndGet(BATCH);
      }
    }
  }

  private void plan(int attacker) {
    var plans = PlanServiceGrpc.newBlockingStub(rig.planner(attacker));
    PlanConfigurationRequest request =
        PlanConfigurationRequest.newBuilder()
            .setParent(Fixtures.ACME)
            .setResourceConfiguration(rig.resources())
            .build();
    while (!over.get()) {
      if (isTaken(
          () -> {
            var _ = plans.withDeadlineAfter(30, TimeUnit.SECONDS).planConfiguration(request);
          })) {
        planned.incrementAndGet();
      }
    }
  }

  /// A refused attacker tries again soon.
  private boolean isTaken(Runnable call) {
    try {
      call.run();
      return true;
    } catch (RuntimeException e) {
      refused.merge(reason(e), 1, Integer::sum);
      LoadRig.pause(Duration.ofMillis(PAUSE_MILLIS));
      return false;
    }
  }

  private static String reason(Throwable failure) {
    return GrpcFailures.refusal(failure)
        .map(Refusal::reason)
        .orElseGet(() -> Status.fromThrowable(failure).getCode().name());
  }

  private void watch(Channel connection, boolean isRead) {
    ClientCall<WatchJobsRequest, WatchJobsResponse> call =
        connection.newCall(JobServiceGrpc.getWatchJobsMethod(), CallOptions.DEFAULT);
    watches.add(call);
    call.start(
        new ClientCall.Listener<>() {
          @Override
          public void onMessage(WatchJobsResponse part) {
            parts.incrementAndGet();
            call.request(1);
          }

          @Override
          public void onClose(Status status, Metadata trailers) {
            if (!over.get()) {
              refused.merge(reason(status.asRuntimeException(trailers)), 1, Integer::sum);
              LoadRig.pause(Duration.ofMillis(PAUSE_MILLIS));
              watch(connection, isRead);
            }
          }
        },
        new Metadata());
    call.sendMessage(WatchJobsRequest.newBuilder().setParent(Fixtures.ACME).build());
    call.halfClose();
    if (isRead) {
      call.request(1);
    }
  }

  private static void join(Thread thread) {
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted", e);
    }
  }
}
