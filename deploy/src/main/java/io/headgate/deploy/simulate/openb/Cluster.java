package io.headgate.deploy.simulate.openb;

import io.headgate.scheduler.core.SchedulerState;
import io.headgate.scheduler.core.SchedulerState.Demanded;
import io.headgate.scheduler.core.catalog.Catalog;
import io.headgate.scheduler.core.catalog.Policy;
import io.headgate.scheduler.core.catalog.PolicyId;
import io.headgate.scheduler.core.catalog.Pool;
import io.headgate.scheduler.core.catalog.PoolId;
import io.headgate.scheduler.core.catalog.Profile;
import io.headgate.scheduler.core.catalog.ProfileId;
import io.headgate.scheduler.core.catalog.Queue;
import io.headgate.scheduler.core.catalog.QueueId;
import io.headgate.scheduler.core.catalog.TenantId;
import io.headgate.scheduler.core.node.Node;
import io.headgate.scheduler.core.node.NodeId;
import io.headgate.type.GpuQuantity;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;

/// The cluster of a trace for the core: one pool, and a profile with a queue for each size of task.
final class Cluster {
  private static final TenantId TENANT = new TenantId("openb");
  private static final PoolId POOL = new PoolId(TENANT, "cluster");
  private static final PolicyId POLICY = new PolicyId(TENANT, "everybody");
  private static final long UNITS_PER_MILLI = GpuQuantity.UNITS_PER_GPU / 1000;
  private static final long MIB = 1L << 20;

  /// Multiplies the counts of the trace as the demand at the beginning. The trace is known
  /// completely, so the arrivals during the replay must hardly shift the demand.
  private static final long CERTAINTY = 1000;

  private record Size(long cpuMillis, long memoryMib, int gpus, int gpuMilli, List<String> models) {
    static Size of(Pod pod) {
      return new Size(pod.cpuMillis(), pod.memoryMib(), pod.gpus(), pod.gpuMilli(), pod.models());
    }
  }

  private final List<Node> nodes = new ArrayList<>();
  private final Map<Size, Profile> profiles = new LinkedHashMap<>();
  private final Map<Size, Long> counts = new LinkedHashMap<>();
  private int gpus;

  /// @param random gives the order of the nodes, which decides between equally good ones
  Cluster(List<Machine> machines, List<Pod> trace, Random random) {
    List<Machine> order = new ArrayList<>(machines);
    order.sort(Comparator.comparing(Machine::name));
    Collections.shuffle(order, random);
    for (Machine machine : order) {
      String id = "%06d-%s".formatted(nodes.size(), machine.name());
      nodes.add(machine.node(new NodeId(TENANT, id), POOL));
      gpus += machine.gpus();
    }
    for (Pod pod : trace) {
      Size size = Size.of(pod);
      profiles.computeIfAbsent(size, key -> profile("p" + profiles.size(), key));
      counts.merge(size, 1L, Long::sum);
    }
  }

  private static Profile profile(String name, Size size) {
    return Profile.of(
            new ProfileId(TENANT, name),
            new GpuQuantity(UNITS_PER_MILLI * size.gpus() * size.gpuMilli()),
            List.of(POOL))
        .with()
        .cpuMillis(size.cpuMillis())
        .memoryBytes(size.memoryMib() * MIB)
        .gpuModels(Set.copyOf(size.models()))
        .build();
  }

  PoolId pool() {
    return POOL;
  }

  int gpus() {
    return gpus;
  }

  /// The queue for a task.
  QueueId queue(Pod pod) {
    Profile profile = profiles.get(Size.of(pod));
    if (profile == null) {
      throw new IllegalArgumentException(pod + " is not of the trace");
    }
    return queue(profile);
  }

  private static QueueId queue(Profile profile) {
    return new QueueId(TENANT, profile.id().name());
  }

  /// The empty cluster, with the demand that the trace announces.
  SchedulerState state() {
    List<Queue> queues = new ArrayList<>();
    List<Demanded> demand = new ArrayList<>();
    profiles.forEach((size, profile) -> {
      queues.add(new Queue(queue(profile), POLICY, profile.id(), 1, true, true));
      demand.add(new Demanded(profile.id(), counts.getOrDefault(size, 0L) * CERTAINTY, 0));
    });
    // Without a reservation no policy is entitled, so no job is preempted.
    Policy policy = Policy.of(POLICY, GpuQuantity.ZERO, GpuQuantity.ofGpus(GpuQuantity.MAX_GPUS));
    Catalog catalog =
        new Catalog(
            TENANT,
            1,
            List.of(Pool.of(POOL)),
            List.copyOf(profiles.values()),
            List.of(policy),
            queues);
    return SchedulerState.kept(List.of(catalog), nodes, List.of(), List.of(), List.of())
        .expecting(demand);
  }
}
