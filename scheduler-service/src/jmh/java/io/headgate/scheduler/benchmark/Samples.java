package io.headgate.scheduler.benchmark;

import java.util.Arrays;
import org.openjdk.jmh.annotations.AuxCounters;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/// The duration of each of a round's decisions, in nanoseconds; [Benchmarks] reads them.
@AuxCounters(AuxCounters.Type.EVENTS)
@State(Scope.Thread)
public class Samples {
  private static final int MOST = 100_000;

  private final long[] nanos = new long[MOST];
  private final long[] cpuNanos = new long[MOST];
  private int count;

  @Setup(Level.Iteration)
  public void begin() {
    count = 0;
  }

  void add(Stopwatch one) {
    nanos[count] = one.nanos();
    cpuNanos[count] = one.cpuNanos();
    count++;
  }

  public long samples() {
    return count;
  }

  public long p50() {
    return percentile(nanos, 50);
  }

  public long p99() {
    return percentile(nanos, 99);
  }

  public long cpuP50() {
    return percentile(cpuNanos, 50);
  }

  public long cpuP99() {
    return percentile(cpuNanos, 99);
  }

  private long percentile(long[] values, int percent) {
    long[] sorted = Arrays.copyOf(values, count);
    Arrays.sort(sorted);
    return count == 0 ? 0 : sorted[(count * percent + 99) / 100 - 1];
  }
}
