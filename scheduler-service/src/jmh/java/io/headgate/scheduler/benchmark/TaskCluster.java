package io.headgate.scheduler.benchmark;

import io.headgate.scheduler.core.Effect;
import io.headgate.scheduler.core.Input;
import io.headgate.scheduler.core.SchedulerCore;
import io.headgate.scheduler.core.SchedulerState;
import io.headgate.scheduler.core.SchedulerState.Demanded;
import io.headgate.scheduler.core.catalog.Catalog;
import io.headgate.scheduler.core.catalog.Isolation;
import io.headgate.scheduler.core.catalog.Policy;
import io.headgate.scheduler.core.catalog.PolicyId;
import io.headgate.scheduler.core.catalog.Pool;
import io.headgate.scheduler.core.catalog.PoolId;
import io.headgate.scheduler.core.catalog.Profile;
import io.headgate.scheduler.core.catalog.ProfileId;
import io.headgate.scheduler.core.catalog.Queue;
import io.headgate.scheduler.core.catalog.QueueId;
import io.headgate.scheduler.core.catalog.TenantId;
import io.headgate.scheduler.core.catalog.UserId;
import io.headgate.scheduler.core.job.JobId;
import io.headgate.scheduler.core.job.JobSpec;
import io.headgate.scheduler.core.node.Device;
import io.headgate.scheduler.core.node.Geometry;
import io.headgate.scheduler.core.node.Node;
import io.headgate.scheduler.core.node.NodeId;
import io.headgate.scheduler.core.node.NodeStatus;
import io.headgate.scheduler.core.placement.PlacementPolicy;
import io.headgate.type.GpuQuantity;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;

/// A cluster of 1,213 nodes, a third with 2 GPUs and the others with 8, and tasks that ask for as
/// many GPUs as it has. The tasks arrive one by one on the empty cluster; each is placed at once or
/// dropped, and none leaves.
final class TaskCluster {
  /// Nodes of the cluster.
  static final int NODES = 1213;

  private static final TenantId TENANT = new TenantId("bench");
  private static final PoolId POOL = new PoolId(TENANT, "pool");
  private static final PolicyId POLICY = new PolicyId(TENANT, "policy");
  private static final UserId USER = new UserId("user");
  private static final long GIB = 1L << 30;
  private static final long UNITS_PER_MILLI = GpuQuantity.UNITS_PER_GPU / 1000;
  private static final List<Integer> GPUS = List.of(1, 1, 1, 1, 1, 1, 1, 2, 4, 8);
  private static final List<Integer> MILLIS =
      List.of(100, 220, 330, 460, 500, 650, 810, 1000, 1000, 1000);

  /// How much each task counts in the mix that the pool expects: so much that arrivals change
  /// nothing.
  private static final long CERTAINTY = 1000;

  private record Task(long cpuMillis, int gpus, int gpuMilli) {}

  private final SchedulerState empty;
  private final List<QueueId> arrivals = new ArrayList<>();

  TaskCluster() {
    List<Node> nodes = new ArrayList<>();
    long gpus = 0;
    for (int i = 0; i < NODES; i++) {
      Node node = i % 3 == 0 ? node(i, "P100", 2, 64_000) : node(i, "G2", 8, 96_000);
      nodes.add(node);
      gpus += node.devices().size();
    }
    Map<Task, Profile> profiles = new LinkedHashMap<>();
    Map<Task, Long> counts = new LinkedHashMap<>();
    Random random = new Random(11);
    for (long milli = 0; milli < 1000 * gpus; ) {
      int taken = GPUS.get(random.nextInt(GPUS.size()));
      int part = taken == 1 ? MILLIS.get(random.nextInt(MILLIS.size())) : 1000;
      Task task = new Task(2000L * (1 + random.nextInt(6)) * taken, taken, part);
      Profile profile = profiles.computeIfAbsent(task, key -> profile(profiles.size(), key));
      counts.merge(task, CERTAINTY, Long::sum);
      arrivals.add(queue(profile));
      milli += (long) taken * part;
    }
    empty = state(nodes, profiles, counts);
  }

  private static Node node(int number, String model, int gpus, long cpuMillis) {
    List<Device> devices = new ArrayList<>();
    for (int i = 0; i < gpus; i++) {
      devices.add(
          new Device(
              i, "gpu-" + number + "-" + i, model, 0, new Geometry.Continuous(), Isolation.NONE));
    }
    NodeId id = new NodeId(TENANT, "node-%06d".formatted(number));
    return new Node(id, POOL, devices, cpuMillis, 384 * GIB, NodeStatus.READY);
  }

  private static Profile profile(int number, Task task) {
    return Profile.of(
            new ProfileId(TENANT, "p" + number),
            new GpuQuantity(UNITS_PER_MILLI * task.gpus() * task.gpuMilli()),
            List.of(POOL))
        .with()
        .cpuMillis(task.cpuMillis())
        .memoryBytes(4 * GIB * task.gpus())
        .build();
  }

  private static QueueId queue(Profile profile) {
    return new QueueId(TENANT, profile.id().name());
  }

  private static SchedulerState state(
      List<Node> nodes, Map<Task, Profile> profiles, Map<Task, Long> counts) {
    List<Queue> queues = new ArrayList<>();
    List<Demanded> demand = new ArrayList<>();
    profiles.forEach((task, profile) -> {
      queues.add(new Queue(queue(profile), POLICY, profile.id(), 1, true, true));
      demand.add(new Demanded(profile.id(), counts.getOrDefault(task, 0L), 0));
    });
    Catalog catalog =
        new Catalog(
            TENANT,
            1,
            List.of(Pool.of(POOL)),
            List.copyOf(profiles.values()),
            List.of(Policy.of(POLICY, GpuQuantity.ZERO, GpuQuantity.ofGpus(GpuQuantity.MAX_GPUS))),
            queues);
    return SchedulerState.kept(List.of(catalog), nodes, List.of(), List.of(), List.of())
        .expecting(demand);
  }

  /// Lets all tasks arrive on the empty cluster.
  ///
  /// @return how many arrived
  int fill(PlacementPolicy placement) {
    SchedulerCore core = SchedulerCore.load(empty, placement);
    for (int i = 0; i < arrivals.size(); i++) {
      JobId id = new JobId(i + 1);
      JobSpec spec = new JobSpec(id, arrivals.get(i), USER, 0, Optional.empty(), Optional.empty());
      boolean started =
          core.decide(List.of(new Input.JobSubmitted(spec)), Instant.EPOCH).effects().stream()
              .anyMatch(Effect.StartAttempt.class::isInstance);
      if (!started) {
        core.job(id)
            .ifPresent(job -> core.decide(List.of(new Input.JobCancelled(job)), Instant.EPOCH));
      }
    }
    return arrivals.size();
  }
}
