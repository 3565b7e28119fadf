package io.headgate.scheduler;

import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.Metadata;
import io.grpc.Status;
import io.headgate.kit.failure.GrpcFailures;
import io.headgate.kit.failure.Refusal;
import io.headgate.proto.scheduler.v1.JobServiceGrpc;
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
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/// Members flood the scheduler: a million jobs to wait, a thousand watches of which nine in ten are
/// never read, and six plans at a time. Another member's calls go on.
final class LoadAttack {
  private static final int ATTACKERS = 10;
  private static final int JOBS = 1_000_000;
  private static final int BATCH = 5_000;
  private static final int WATCHES = 1_000;
  private static final int READING = 10;
  private static final int PLANS = 6;

  private static final double BYTES_PER_MIB = 1 << 20;
  private static final long PAUSE_MILLIS = 200;

  private final LoadRig rig;
  private final LoadFigures figures;
  private final LoadHonest honest;
  private final AtomicBoolean over = new AtomicBoolean();
  private final AtomicInteger taken = new AtomicInteger();
  private final AtomicInteger planned = new AtomicInteger();
  private final AtomicInteger parts = new AtomicInteger();
  private final Map<String, Integer> refused = new ConcurrentHashMap<>();
  private final ConcurrentLinkedQueue<ClientCall<?, ?>> watches = new ConcurrentLinkedQueue<>();

  LoadAttack(LoadRig rig, LoadBenchmark.Options options, LoadFigures figures, LoadClients clients) {
    this.rig = rig;
    this.figures = figures;
    this.honest = new LoadHonest(options, figures, clients);
  }

  void measure() {
    double before = honest.measure("attack_before");
    List<Thread> attackers = attack();
    double during = honest.measure("attack_during");
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
    var _ = honest.measure("attack_after");
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

  static void join(Thread thread) {
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted", e);
    }
  }
}
