package io.headgate.scheduler.benchmark;

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

/// Bytes of heap that one waiting job costs.
@BenchmarkMode(Mode.SingleShotTime)
@OutputTimeUnit(TimeUnit.SECONDS)
@State(Scope.Thread)
@Fork(
    value = 1,
    jvmArgsAppend = {"-Xms7g", "-Xmx7g"})
@Warmup(iterations = 0)
@Measurement(iterations = 5)
public class MemoryBenchmark {
  private static final int NODES = 100;
  private static final int COLLECTIONS = 3;

  /// Jobs that are submitted in one iteration; they stay.
  @Param("200000")
  public int jobs;

  private Fleet fleet = new Fleet(0);

  /// Counters from which [Benchmarks] computes its figures.
  @AuxCounters(AuxCounters.Type.EVENTS)
  @State(Scope.Thread)
  public static class Kept {
    public long bytes;
    public long jobs;
  }

  @Setup(Level.Trial)
  public void fill() {
    fleet = new Fleet(NODES);
    fleet.fill(jobs);
  }

  @Benchmark
  public Object waitingJob(Kept kept) {
    long before = usedBytes();
    int waiting = fleet.waiting();
    fleet.decide(fleet.submissions(jobs));
    kept.jobs += fleet.waiting() - waiting;
    kept.bytes += usedBytes() - before;
    return fleet;
  }

  private static long usedBytes() {
    for (int i = 0; i < COLLECTIONS; i++) {
      System.gc();
    }
    Runtime runtime = Runtime.getRuntime();
    return runtime.totalMemory() - runtime.freeMemory();
  }
}
