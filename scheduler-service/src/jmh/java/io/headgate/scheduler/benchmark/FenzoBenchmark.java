package io.headgate.scheduler.benchmark;

import com.netflix.fenzo.SchedulingResult;
import com.netflix.fenzo.TaskAssignmentResult;
import com.netflix.fenzo.TaskRequest;
import com.netflix.fenzo.TaskScheduler;
import com.netflix.fenzo.VMAssignmentResult;
import com.netflix.fenzo.VirtualMachineLease;
import com.netflix.fenzo.plugins.BinPackingFitnessCalculators;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
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

/// Netflix's Fenzo on the machines and job sizes of [DecisionBenchmark].
///
/// In each batch tasks end, and Fenzo assigns waiting tasks. Its work is easier than Headgate's:
/// - Only 400 tasks wait at a time, because Fenzo looks at every task on every machine.
/// - It has no queues, rights, reasons and preemption.
/// - A part of a GPU may come from several devices.
/// - The workers of a gang are single tasks.
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
@State(Scope.Thread)
@Fork(
    value = 1,
    jvmArgsAppend = {"-Xms7g", "-Xmx7g"})
@Warmup(iterations = 2, time = 2)
@Measurement(iterations = 5, time = 2)
public class FenzoBenchmark {
  private static final int WAITING = 400;

  /// Nodes of 8 GPUs.
  @Param({"1000", "10000"})
  public int nodes;

  /// Ends in a batch.
  @Param("200")
  public int batch;

  private final Random random = new Random(7);
  private final List<TaskAssignmentResult> running = new ArrayList<>();
  private final Deque<TaskRequest> waiting = new ArrayDeque<>();
  private @Nullable TaskScheduler scheduler;
  private long nextId;

  /// Counters from which [Benchmarks] computes its figures.
  @AuxCounters(AuxCounters.Type.EVENTS)
  @State(Scope.Thread)
  public static class Assigned {
    public long assignments;
    public long nanos;
    public long cpuNanos;
  }

  @Setup(Level.Trial)
  public void fill() {
    scheduler =
        new TaskScheduler.Builder()
            .withLeaseOfferExpirySecs(1_000_000)
            .withLeaseRejectAction(lease -> {})
            .withSingleOfferPerVM(true)
            .disableShortfallEvaluation()
            .withFitnessCalculator(BinPackingFitnessCalculators.cpuMemBinPacker)
            .withFitnessGoodEnoughFunction(fitness -> fitness > 0.5)
            .build();
    List<VirtualMachineLease> leases = new ArrayList<>();
    for (int i = 0; i < nodes; i++) {
      leases.add(new FenzoNode("node-" + i));
    }
    assign(leases);
    while (assign(List.of()) > WAITING / 10) {
      // More fits.
    }
  }

  @Benchmark
  public void churn(Assigned assigned) {
    Stopwatch watch = new Stopwatch();
    assigned.assignments += watch.time(this::endAndAssign);
    assigned.nanos += watch.nanos();
    assigned.cpuNanos += watch.cpuNanos();
  }

  private int endAndAssign() {
    TaskScheduler known = scheduler();
    for (int i = 0; i < batch && !running.isEmpty(); i++) {
      int index = random.nextInt(running.size());
      TaskAssignmentResult ended = running.get(index);
      running.set(index, running.getLast());
      running.removeLast();
      known.getTaskUnAssigner().call(ended.getTaskId(), ended.getHostname());
    }
    return assign(List.of());
  }

  private int assign(List<VirtualMachineLease> leases) {
    while (waiting.size() < WAITING) {
      submit();
    }
    TaskScheduler known = scheduler();
    SchedulingResult result = known.scheduleOnce(List.copyOf(waiting), leases);
    int count = 0;
    for (VMAssignmentResult machine : result.getResultMap().values()) {
      for (TaskAssignmentResult task : machine.getTasksAssigned()) {
        known.getTaskAssigner().call(task.getRequest(), task.getHostname());
        running.add(task);
        waiting.remove(task.getRequest());
        count++;
      }
    }
    return count;
  }

  private TaskScheduler scheduler() {
    if (scheduler == null) {
      throw new IllegalStateException("not filled");
    }
    return scheduler;
  }

  private void submit() {
    int size = random.nextInt(Fleet.SIZES.size());
    String[] parts = Fleet.SIZES.get(size).split("/");
    double gpus = Double.parseDouble(parts[0]);
    if (parts.length > 1) {
      gpus /= Double.parseDouble(parts[1]);
    }
    int workers = size == Fleet.SIZES.size() - 1 ? Fleet.GANG_WORKERS : 1;
    for (int worker = 0; worker < workers; worker++) {
      waiting.add(new FenzoTask(Long.toString(nextId++), 1 + size % 3, gpus));
    }
  }
}
