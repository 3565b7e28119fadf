package io.headgate.scheduler.benchmark;

import io.headgate.scheduler.core.catalog.PlacementPolicy;
import io.headgate.scheduler.simulation.openb.Machine;
import io.headgate.scheduler.simulation.openb.PackingProtocol;
import io.headgate.scheduler.simulation.openb.PackingResult;
import io.headgate.scheduler.simulation.openb.Pod;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
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

/// Placements a second by policy on 1,213 nodes. Cold: a cluster of the openb family fills up from
/// empty, and every state of a node is new. Warm: jobs end and come on a cluster that is 85 % full,
/// one at a time. Every round plays the same. There are many, for in the first seconds the compiler
/// takes its largest methods back more than once, which makes single rounds 3 to 8 times slower.
@OutputTimeUnit(TimeUnit.SECONDS)
@State(Scope.Thread)
@Fork(
    value = 1,
    jvmArgsAppend = {"-Xms4g", "-Xmx4g"})
@Measurement(iterations = 5)
@BenchmarkMode(Mode.SingleShotTime)
@Warmup(iterations = 10)
public class PlacementBenchmark {
  private static final int NODES = 1213;
  private static final double LOAD = 0.85;
  private static final int PASSES = 10_000;

  @Param({"tightest-fit", "rfp"})
  public String policy = "";

  private final List<Machine> machines = new ArrayList<>();
  private final List<Pod> pods = new ArrayList<>();
  private Fleet fleet = new Fleet(0);

  /// What [Benchmarks] divides.
  @AuxCounters(AuxCounters.Type.EVENTS)
  @State(Scope.Thread)
  public static class Placed {
    public long placements;
    public long nanos;
    public long cpuNanos;
  }

  private PlacementPolicy placement() {
    return switch (policy) {
      case "tightest-fit" -> new PlacementPolicy.TightestFit();
      case "rfp" -> new PlacementPolicy.RollOutFill();
      default -> throw new IllegalArgumentException("policy " + policy);
    };
  }

  @Setup(Level.Trial)
  public void deal() {
    Random random = new Random(11);
    for (int i = 0; i < NODES; i++) {
      machines.add(
          i % 3 == 0
              ? new Machine("m" + i, 64_000, 262_144, 2, "P100")
              : new Machine("m" + i, 96_000, 393_216, 8, "G2"));
    }
    List<Integer> millis = List.of(100, 220, 330, 460, 500, 650, 810, 1000, 1000, 1000);
    for (int i = 0; i < 2 * NODES; i++) {
      int gpus = List.of(1, 1, 1, 1, 1, 1, 1, 2, 4, 8).get(random.nextInt(10));
      pods.add(
          new Pod(
              "p" + i,
              2000L * (1 + random.nextInt(6)) * gpus,
              4096L * gpus,
              gpus,
              gpus == 1 ? millis.get(random.nextInt(millis.size())) : 1000,
              List.of()));
    }
  }

  @Setup(Level.Iteration)
  public void fill() {
    fleet = new Fleet(NODES, Fleet.Rights.EQUAL, placement());
    while (fleet.load() < LOAD) {
      fleet.decide(fleet.submissions(100));
    }
  }

  @Benchmark
  public Object cold(Placed placed) {
    Stopwatch watch = new Stopwatch();
    PackingResult result =
        watch.time(() -> PackingProtocol.run(machines, pods, 42, 1, placement()));
    placed.nanos += watch.nanos();
    placed.cpuNanos += watch.cpuNanos();
    placed.placements += result.arrived();
    return result;
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
