package io.headgate.scheduler.benchmark;

import io.headgate.scheduler.core.Decision;
import io.headgate.scheduler.core.Effect;
import io.headgate.scheduler.core.SchedulerCore;
import java.util.List;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/// The time that the core takes to choose victims.
///
/// The cluster is full of jobs above their policies' reservations, and others wait. Then an
/// entitled job of 1 to 8 GPUs, or a gang of four, arrives. Each sample is one decision that
/// preempts. Its consequences (victims stop, the job runs and ends, others take its place) are not
/// measured.
@BenchmarkMode(Mode.SingleShotTime)
@State(Scope.Thread)
@Fork(
    value = 1,
    jvmArgsAppend = {"-Xms7g", "-Xmx7g"})
@Warmup(iterations = 2)
@Measurement(iterations = 5)
public class PreemptionBenchmark {
  private static final int SAMPLES = 300;

  /// Nodes of 8 GPUs.
  @Param({"1000", "10000", "50000"})
  public int nodes;

  /// Jobs that wait.
  @Param("100000")
  public int waiting;

  private Fleet fleet = new Fleet(0);

  @Setup(Level.Trial)
  public void fill() {
    fleet = new Fleet(nodes, Fleet.Rights.GUESTS_AND_OWNERS, SchedulerCore.DEFAULT_PLACEMENT);
    fleet.fill(waiting);
  }

  @Benchmark
  public void preempt(Samples samples) {
    for (int i = 0; i < SAMPLES; i++) {
      Stopwatch watch = new Stopwatch();
      Decision decision = fleet.decideOnce(List.of(fleet.claim()), watch);
      if (decision.effects().stream().anyMatch(Effect.StopAttempt.class::isInstance)) {
        samples.add(watch);
      }
      fleet.follow(decision);
      fleet.decide(fleet.endOfLast());
    }
  }
}
