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

/// Decisions a second on a full cluster under churn: in each batch jobs end, as many come to their
/// queues, and the core starts what fits and preempts what must go. A decision is a start or a
/// request to stop; only the core's own time counts.
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
@State(Scope.Thread)
@Fork(
    value = 1,
    jvmArgsAppend = {"-Xms7g", "-Xmx7g"})
@Warmup(iterations = 2, time = 2)
@Measurement(iterations = 5, time = 2)
public class DecisionBenchmark {
  /// Nodes of 8 GPUs.
  @Param({"1000", "10000", "50000"})
  public int nodes;

  /// Jobs that wait.
  @Param({"100000", "1000000"})
  public int waiting;

  /// Ends and submissions in a batch, each.
  @Param("200")
  public int batch;

  /// Whether agents report that jobs run, so that the core learns run times (O7).
  @Param("false")
  public boolean reports;

  private Fleet fleet = new Fleet(0);

  /// Counters from which [Benchmarks] computes its figures.
  @AuxCounters(AuxCounters.Type.EVENTS)
  @State(Scope.Thread)
  public static class Decided {
    public long decisions;
    public long nanos;
    public long cpuNanos;
  }

  @Setup(Level.Trial)
  public void fill() {
    fleet = new Fleet(nodes);
    if (reports) {
      fleet.reportStarts();
    }
    fleet.fill(waiting);
  }

  @Benchmark
  public void churn(Decided decided) {
    List<Input> inputs = fleet.churn(batch);
    long before = fleet.deciding().nanos();
    long cpuBefore = fleet.deciding().cpuNanos();
    decided.decisions += fleet.decide(inputs);
    decided.nanos += fleet.deciding().nanos() - before;
    decided.cpuNanos += fleet.deciding().cpuNanos() - cpuBefore;
  }
}
