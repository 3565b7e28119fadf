package io.headgate.scheduler;

import io.headgate.proto.scheduler.v1.JobServiceGrpc.JobServiceBlockingStub;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/// What is measured of a scheduler that dies, and of agents that lose theirs.
final class LoadFaults {
  private static final double NANOS_PER_MILLI = 1e6;
  private static final double BYTES_PER_MIB = 1 << 20;

  /// Leaders die seldom: their followers have seen some of their jobs by then.
  private static final Duration STANDING_BY = Duration.ofSeconds(60);

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

  /// What agents cost a leader that has nothing to do, and until it has them all again when all
  /// come back at once.
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

  /// From the death of the leader to the first assignment of its successor.
  ///
  /// @param job name of the job that is submitted to the successor
  void takeover(String job) {
    CountDownLatch assigned = new CountDownLatch(1);
    AtomicLong at = new AtomicLong();
    heard.onAssign(
        job,
        nanos -> {
          at.set(nanos);
          assigned.countDown();
        });
    JobServiceBlockingStub successor = rig.jobs(1);
    LoadRig.pause(STANDING_BY);
    Map<String, Double> before = rig.threadSeconds();
    long begun = System.nanoTime();
    rig.killLeader();
    // It is entitled, so that it gets a place on a full cluster, too.
    // A call that was given up may have been taken all the same; then the name is, too.
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
    figures.print(
        "takeover",
        Map.of(),
        (at.get() - begun) / NANOS_PER_MILLI,
        "ms",
        0,
        OptionalDouble.of(options.waiting() > 100_000 ? 10_000 : 5_000));
    cpu(before);
    rig.takeover().forEach(System.err::println);
  }

  /// Processor time of the successor; of its threads those with the most are told, too.
  private void cpu(Map<String, Double> before) {
    Map<String, Double> used = new HashMap<>();
    rig.threadSeconds()
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
