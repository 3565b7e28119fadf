package io.headgate.scheduler.benchmark;

import io.headgate.scheduler.core.Decision;
import io.headgate.scheduler.core.Effect;
import io.headgate.scheduler.core.Input;
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

/// KAI's large reclaim: nodes full of one-GPU jobs of a policy without reservation, and a gang of a
/// tenth of the nodes, each with all its GPUs, that reclaims them. Each sample is one such decision
/// on a fresh copy, which has looked at nothing before.
@BenchmarkMode(Mode.SingleShotTime)
@State(Scope.Thread)
@Fork(
    value = 1,
    jvmArgsAppend = {"-Xms7g", "-Xmx7g"})
@Warmup(iterations = 3)
@Measurement(iterations = 5)
public class ReclaimBenchmark {
  private static final int SAMPLES = 10;

  @Param({"100", "500", "1000"})
  public int nodes;

  private ReclaimScene scene = new ReclaimScene(0);

  @Setup(Level.Trial)
  public void fill() {
    scene = new ReclaimScene(nodes);
  }

  @Benchmark
  public void reclaimGang(Samples samples) {
    for (int i = 0; i < SAMPLES; i++) {
      SchedulerCore copy = scene.core().copy();
      Stopwatch watch = new Stopwatch();
      Decision decision =
          watch.time(() -> copy.decide(List.of(new Input.JobSubmitted(scene.gang())), scene.now()));
      long victims =
          decision.effects().stream().filter(Effect.StopAttempt.class::isInstance).count();
      if (victims != scene.gangGpus()) {
        throw new IllegalStateException(victims + " victims for " + scene.gangGpus() + " GPUs");
      }
      samples.add(watch);
    }
  }
}
