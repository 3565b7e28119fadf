package io.headgate.scheduler.benchmark;

import io.headgate.scheduler.core.Input;
import java.util.List;
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

/// Passes over a full cluster that find nothing to start; a second passes before each.
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
@State(Scope.Thread)
@Fork(
    value = 1,
    jvmArgsAppend = {"-Xms7g", "-Xmx7g"})
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 2)
public class PassBenchmark {
  /// Nodes of 8 GPUs.
  @Param("10000")
  public int nodes;

  /// Jobs that wait.
  @Param({"100000", "1000000"})
  public int waiting;

  private Fleet fleet = new Fleet(0);

  /// Counters from which [Benchmarks] computes its figures.
  @AuxCounters(AuxCounters.Type.EVENTS)
  @State(Scope.Thread)
  public static class Passes {
    public long count;
    public long nanos;
    public long cpuNanos;
  }

  @Setup(Level.Trial)
  public void fill() {
    fleet = new Fleet(nodes);
    fleet.fill(waiting);
  }

  @Benchmark
  public void nothingToStart(Passes passes) {
    long before = fleet.deciding().nanos();
    long cpuBefore = fleet.deciding().cpuNanos();
    fleet.decide(List.of(new Input.TimePassed()));
    passes.nanos += fleet.deciding().nanos() - before;
    passes.cpuNanos += fleet.deciding().cpuNanos() - cpuBefore;
    passes.count++;
  }
}
