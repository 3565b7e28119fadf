package io.headgate.scheduler.benchmark;

import io.headgate.scheduler.core.SchedulerCore;
import io.headgate.scheduler.simulation.Scenario;
import io.headgate.scheduler.simulation.Simulation;
import io.headgate.scheduler.simulation.Summary;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.AuxCounters;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/// Workloads a second that the core takes through their lives when they come as in Kueue's
/// benchmark, by virtual time. Only the core's own time counts.
@BenchmarkMode(Mode.SingleShotTime)
@OutputTimeUnit(TimeUnit.SECONDS)
@State(Scope.Thread)
@Fork(
    value = 1,
    jvmArgsAppend = {"-Xms4g", "-Xmx4g"})
@Warmup(iterations = 3)
@Measurement(iterations = 5)
public class KueueBenchmark {
  private final Scenario scenario = KueueShape.scenario();

  /// Counters from which [Benchmarks] computes its figures.
  @AuxCounters(AuxCounters.Type.EVENTS)
  @State(Scope.Thread)
  public static class Lives {
    public long workloads;
    public long nanos;
    public long cpuNanos;
  }

  @Benchmark
  public Summary cohorts(Lives lives) {
    Stopwatch watch = new Stopwatch();
    Simulation simulation =
        new Simulation(scenario, SchedulerCore.DEFAULT_PLACEMENT, watch::time, event -> {});
    Summary summary = simulation.run();
    lives.workloads += summary.finished();
    lives.nanos += watch.nanos();
    lives.cpuNanos += watch.cpuNanos();
    if (summary.finished() != KueueShape.WORKLOADS) {
      throw new IllegalStateException(summary.toString());
    }
    return summary;
  }
}
