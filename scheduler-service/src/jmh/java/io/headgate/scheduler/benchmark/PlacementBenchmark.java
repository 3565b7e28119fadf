package io.headgate.scheduler.benchmark;

import io.headgate.scheduler.core.placement.PlacementPolicy;
import io.headgate.scheduler.core.placement.StandardPlacement;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.AuxCounters;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/// Placements per second, by policy, on 1,213 nodes.
///
/// Cold: an empty cluster fills up, and every state of a node is new. Warm: single jobs end and
/// come on a cluster that is 85 % full. Every round repeats the same steps. There are many rounds,
/// because the compiler deoptimizes its largest methods in the first seconds, which slows rounds 3
/// to 8 times.
@OutputTimeUnit(TimeUnit.SECONDS)
@State(Scope.Thread)
@Fork(
    value = 1,
    jvmArgsAppend = {"-Xms4g", "-Xmx4g"})
@Measurement(iterations = 5)
@BenchmarkMode(Mode.SingleShotTime)
@Warmup(iterations = 10)
public class PlacementBenchmark {
  private static final double LOAD = 0.85;
  private static final int PASSES = 10_000;

  @Param({"tightest-fit", "rfp"})
  public String policy = "";

  private final TaskCluster cluster = new TaskCluster();
  private Fleet fleet = new Fleet(0);

  /// Counters from which [Benchmarks] computes its figures.
  @AuxCounters(AuxCounters.Type.EVENTS)
  @State(Scope.Thread)
  public static class Placed {
    public long placements;
    public long nanos;
    public long cpuNanos;
  }

  private PlacementPolicy placement() {
    return switch (policy) {
      case "tightest-fit" -> StandardPlacement.TIGHTEST_FIT;
      case "rfp" -> StandardPlacement.ROLL_OUT_FILL;
      default -> throw new IllegalArgumentException("policy " + policy);
    };
  }

  @Setup(Level.Iteration)
  public void fill() {
    fleet = new Fleet(TaskCluster.NODES, Fleet.Rights.EQUAL, placement());
    while (fleet.load() < LOAD) {
      fleet.decide(fleet.submissions(100));
    }
  }

  @Benchmark
  public Object cold(Placed placed) {
    Stopwatch watch = new Stopwatch();
    int arrived = watch.time(() -> cluster.fill(placement()));
    placed.nanos += watch.nanos();
    placed.cpuNanos += watch.cpuNanos();
    placed.placements += arrived;
    return arrived;
  }

  @Benchmark
  public void warm(Placed placed) {
    for (int i = 0; i < PASSES; i++) {
      while (fleet.load() > LOAD) {
        fleet.decide(fleet.ends(1));
      }
      long before = fleet.deciding().nanos();
      long cpuBefore = fleet.deciding().cpuNanos();
      placed.placements += fleet.decide(fleet.submissions(1));
      placed.nanos += fleet.deciding().nanos() - before;
      placed.cpuNanos += fleet.deciding().cpuNanos() - cpuBefore;
    }
  }
}
