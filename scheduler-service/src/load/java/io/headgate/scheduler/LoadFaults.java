package io.headgate.scheduler;

import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.headgate.proto.scheduler.v1.BatchSubmitJobsRequest;
import io.headgate.proto.scheduler.v1.JobServiceGrpc.JobServiceBlockingStub;
import io.headgate.proto.scheduler.v1.SubmitJobRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.HdrHistogram.Histogram;

/// Measurements of a scheduler that dies, and of agents that lose their scheduler.
final class LoadFaults {
  private static final double NANOS_PER_MILLI = 1e6;
  private static final double BYTES_PER_MIB = 1 << 20;

  private static final String DURABLE = "durable-";
  private static final int CLIENTS = 8;
  private static final int BATCH = 10;
  private static final Set<Status.Code> REPEATABLE =
      Set.of(Status.Code.UNAVAILABLE, Status.Code.DEADLINE_EXCEEDED);

  private static final int THREADS = 12;
  private static final double MOST_MIB = 2048;

  private final LoadRig rig;
  private final LoadBenchmark.Options options;
  private final LoadFigures figures;
  private final LoadBenchmark.Heard heard;

  LoadFaults(
      LoadRig rig, LoadBenchmark.Options options, LoadFigures figures, LoadBenchmark.Heard heard) {
    this.rig = rig;
    this.options = options;
    this.figures = figures;
    this.heard = heard;
  }

  /// The processor time that idle agents cost an idle leader, and the time until it has all agents
  /// again after all have reconnected at once.
  void agents() {
    Map<String, String> parameters = Map.of("agents", Integer.toString(options.nodes()));
    double before = rig.cpuSeconds()[0];
    LoadRig.pause(Duration.ofSeconds(options.seconds()));
    figures.print(
        "agents_idle_cpu",
        parameters,
        (rig.cpuSeconds()[0] - before) / options.seconds() * 100,
        "% of a core");
    before = rig.cpuSeconds()[0];
    int welcomes = rig.fleet().welcomes();
    long begun = System.nanoTime();
    rig.fleet().cut();
    rig.fleet().awaitWelcomes(welcomes);
    figures.print("agents_back", parameters, (System.nanoTime() - begun) / NANOS_PER_MILLI, "ms");
    figures.print("agents_back_cpu", parameters, (rig.cpuSeconds()[0] - before) * 1000, "ms");
    memory("agents_memory", parameters);
  }

  /// @return bytes of heap in use
  long memory(String name, Map<String, String> parameters) {
    long[] bytes = rig.memoryBytes();
    figures.print(
        name, parameters, bytes[0] / BYTES_PER_MIB, "MiB", 0, OptionalDouble.of(MOST_MIB));
    figures.print(name + "_heap", parameters, bytes[1] / BYTES_PER_MIB, "MiB");
    return bytes[1];
  }

  /// The time from the death of the leader to the first assignment of its successor, `kills` times.
  ///
  /// A killed scheduler starts again and stands by for the next kill.
  void takeovers() {
    Histogram nanos = LoadFigures.histogram();
    int most = options.waiting() > 100_000 ? 10_000 : 5_000;
    for (int kill = 1; kill <= options.kills(); kill++) {
      long each = takeover("after-" + kill);
      nanos.recordValue(each);
      if (options.kills() == 1) {
        figures.print(
            "takeover", Map.of(), each / NANOS_PER_MILLI, "ms", 0, OptionalDouble.of(most));
      } else if (kill < options.kills()) {
        System.err.printf("take-over %d: %d ms%n", kill, each / 1_000_000);
        rig.startAgain();
      }
    }
    if (options.kills() > 1) {
      figures.times(
          "takeover", Map.of("kills", Integer.toString(options.kills())), nanos, most, most);
    }
  }

  /// @param job name of the job that is submitted to the successor
  private long takeover(String job) {
    CountDownLatch assigned = new CountDownLatch(1);
    AtomicLong at = new AtomicLong();
    heard.onAssign(
        job,
        nanos -> {
          at.set(nanos);
          assigned.countDown();
        });
    int next = 1 - rig.leader();
    JobServiceBlockingStub successor = rig.jobs(next);
    LoadRig.pause(Duration.ofSeconds(options.standby()));
    Map<String, Double> before = rig.threadSeconds(next);
    long begun = System.nanoTime();
    rig.killLeader();
    // The job is entitled, so that it gets a place on a full cluster, too. The scheduler may have
    // taken a call that timed out; the job's name is then taken, too.
    while (assigned.getCount() > 0) {
      try {
        var _ =
            successor
                .withDeadlineAfter(2, TimeUnit.SECONDS)
                .submitJob(Fixtures.submit(LoadRig.QUICK, job));
        break;
      } catch (RuntimeException e) {
        LoadRig.pause(Duration.ofMillis(50));
      }
    }
    LoadLoops.await(assigned);
    if (options.kills() == 1) {
      cpu(before, next);
      rig.takeover().forEach(System.err::println);
    }
    return at.get() - begun;
  }

  /// Kills leader and PostgreSQL by turns while clients submit, each repeating a request until it
  /// is answered, and then counts what is stored: neither less nor more than was acknowledged.
  void durable() {
    AtomicBoolean isOver = new AtomicBoolean();
    AtomicLong acknowledged = new AtomicLong();
    AtomicLong repeated = new AtomicLong();
    Thread clients =
        Thread.ofPlatform()
            .start(() ->
                LoadLoops.each(
                    CLIENTS,
                    client -> {
                      for (int i = 0; !isOver.get(); i++) {
                        acknowledged.addAndGet(submit(client, i, repeated));
                      }
                    }));
    for (int kill = 1; kill <= options.kills(); kill++) {
      long before = acknowledged.get();
      LoadRig.await(
          "submissions between faults", () -> acknowledged.get() > before + CLIENTS * BATCH);
      if (kill % 2 == 0) {
        rig.killDatabase();
      } else {
        rig.killLeader();
        long dead = acknowledged.get();
        LoadRig.await(
            "submissions to the next leader", () -> acknowledged.get() > dead + CLIENTS * BATCH);
        rig.startAgain();
      }
    }
    isOver.set(true);
    try {
      clients.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted", e);
    }
    Map<String, String> parameters =
        Map.of(
            "kills", Integer.toString(options.kills()), "repeated", Long.toString(repeated.get()));
    figures.print("durable_acknowledged", parameters, acknowledged.get(), "jobs");
    // Each client went on when it was answered, so just these names must be stored.
    LoadRig.Stored stored = rig.stored(DURABLE);
    OptionalDouble none = OptionalDouble.of(0);
    figures.print("durable_lost", parameters, acknowledged.get() - stored.names(), "jobs", 0, none);
    figures.print("durable_twice", parameters, stored.jobs() - stored.names(), "jobs", 0, none);
  }

  /// Submits one job, or some together, again and again until that is answered.
  ///
  /// @return how many
  private int submit(int client, int number, AtomicLong repeated) {
    List<SubmitJobRequest> jobs = new ArrayList<>();
    for (int i = 0; i < (client % 2 == 0 ? 1 : BATCH); i++) {
      String name = DURABLE + client + "-x" + number + "-x" + i;
      jobs.add(LoadClients.request(Fixtures.submit(LoadRig.crowd(client), name)));
    }
    BatchSubmitJobsRequest together = LoadClients.batch(jobs);
    while (true) {
      try {
        JobServiceBlockingStub leader =
            rig.jobs(rig.leader()).withDeadlineAfter(10, TimeUnit.SECONDS);
        if (jobs.size() == 1) {
          var _ = leader.submitJob(jobs.getFirst());
        } else {
          var _ = leader.batchSubmitJobs(together);
        }
        return jobs.size();
      } catch (StatusRuntimeException e) {
        if (!REPEATABLE.contains(e.getStatus().getCode())) {
          throw e;
        }
        repeated.incrementAndGet();
        LoadRig.pause(Duration.ofMillis(100));
      }
    }
  }

  /// The processor time of the successor, also of its busiest threads.
  private void cpu(Map<String, Double> before, int scheduler) {
    Map<String, Double> used = new HashMap<>();
    rig.threadSeconds(scheduler)
        .forEach((thread, seconds) ->
            used.merge(
                thread.replaceAll("[- #]*[0-9]+", ""),
                seconds - before.getOrDefault(thread, 0.0),
                Double::sum));
    figures.print(
        "takeover_cpu",
        Map.of(),
        1000 * used.values().stream().mapToDouble(seconds -> seconds).sum(),
        "ms");
    used.entrySet().stream()
        .filter(thread -> thread.getValue() > 0)
        .sorted(Map.Entry.<String, Double>comparingByValue().reversed())
        .limit(THREADS)
        .forEach(thread -> System.err.printf("%6.2f s %s%n", thread.getValue(), thread.getKey()));
  }
}
