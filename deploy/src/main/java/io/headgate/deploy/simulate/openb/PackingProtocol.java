package io.headgate.deploy.simulate.openb;

import io.headgate.scheduler.core.Effect;
import io.headgate.scheduler.core.Input;
import io.headgate.scheduler.core.SchedulerCore;
import io.headgate.scheduler.core.catalog.UserId;
import io.headgate.scheduler.core.job.Job;
import io.headgate.scheduler.core.job.JobId;
import io.headgate.scheduler.core.job.JobSpec;
import io.headgate.scheduler.core.placement.PlacementPolicy;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/// Lets the tasks of a trace arrive one by one on an empty cluster. Each task is placed at once or
/// dropped; no task ends.
public final class PackingProtocol {
  /// Arrived loads at which the result is measured, in percent of the cluster's GPUs.
  private static final Set<Integer> LOADS = Set.of(90, 95, 100, 110, 120, 130);

  private static final UserId USER = new UserId("trace");
  private static final double MILLI_PER_GPU = 1000;

  private static final class Mean {
    private double sum;
    private int count;

    void add(double value) {
      sum += value;
      count++;
    }

    double value() {
      return sum / count;
    }
  }

  private final Cluster cluster;
  private final List<Pod> arrivals;
  private final SchedulerCore core;
  private final TreeMap<Integer, Mean> allocation = new TreeMap<>();
  private final TreeMap<Integer, Mean> fragmentation = new TreeMap<>();
  private long arrivedMilli;
  private long allocatedMilli;
  private int placed;

  private PackingProtocol(Cluster cluster, List<Pod> arrivals, PlacementPolicy policy) {
    this.cluster = cluster;
    this.arrivals = arrivals;
    this.core = SchedulerCore.load(cluster.state(), policy);
  }

  /// Runs the protocol once.
  ///
  /// @param seed determines the order of tasks and nodes
  /// @param tune arriving load as a multiple of the cluster's GPUs
  public static PackingResult run(
      List<Machine> machines, List<Pod> trace, long seed, double tune, PlacementPolicy policy) {
    Random random = new Random(seed);
    Cluster cluster = new Cluster(machines, trace, random);
    List<Pod> arrivals =
        ArrivalOrder.of(trace, Math.round(tune * cluster.gpus() * MILLI_PER_GPU), random);
    return new PackingProtocol(cluster, arrivals, policy).run();
  }

  private PackingResult run() {
    for (int i = 0; i < arrivals.size(); i++) {
      arrive(new JobId(i + 1), arrivals.get(i));
      measure();
    }
    return new PackingResult(arrivals.size(), placed, values(allocation), values(fragmentation));
  }

  private void arrive(JobId id, Pod pod) {
    JobSpec spec = new JobSpec(id, cluster.queue(pod), USER, 0, Optional.empty(), Optional.empty());
    boolean started = false;
    for (Effect effect : decide(new Input.JobSubmitted(spec))) {
      started |= effect instanceof Effect.StartAttempt;
    }
    arrivedMilli += pod.totalGpuMilli();
    if (started) {
      placed++;
      allocatedMilli += pod.totalGpuMilli();
    } else {
      Optional<Job> waiting = core.job(id);
      waiting.ifPresent(job -> decide(new Input.JobCancelled(job)));
    }
  }

  private List<Effect> decide(Input input) {
    return core.decide(List.of(input), Instant.EPOCH).effects();
  }

  private void measure() {
    int load = (int) Math.round(percent(arrivedMilli / MILLI_PER_GPU));
    if (LOADS.contains(load)) {
      allocation
          .computeIfAbsent(load, key -> new Mean())
          .add(percent(allocatedMilli / MILLI_PER_GPU));
      fragmentation
          .computeIfAbsent(load, key -> new Mean())
          .add(percent(core.strandedGpus(cluster.pool())));
    }
  }

  private double percent(double gpus) {
    return cluster.gpus() == 0 ? 0 : 100 * gpus / cluster.gpus();
  }

  private static SortedMap<Integer, Double> values(Map<Integer, Mean> means) {
    TreeMap<Integer, Double> values = new TreeMap<>();
    means.forEach((load, mean) -> values.put(load, mean.value()));
    return values;
  }
}
