package io.headgate.scheduler.benchmark;

import io.headgate.scheduler.core.catalog.Catalog;
import io.headgate.scheduler.core.catalog.Isolation;
import io.headgate.scheduler.core.catalog.Policy;
import io.headgate.scheduler.core.catalog.PolicyId;
import io.headgate.scheduler.core.catalog.Pool;
import io.headgate.scheduler.core.catalog.PoolId;
import io.headgate.scheduler.core.catalog.PreemptWithin;
import io.headgate.scheduler.core.catalog.Profile;
import io.headgate.scheduler.core.catalog.ProfileId;
import io.headgate.scheduler.core.catalog.Queue;
import io.headgate.scheduler.core.catalog.QueueId;
import io.headgate.scheduler.core.catalog.TenantId;
import io.headgate.scheduler.core.catalog.UserId;
import io.headgate.scheduler.core.node.Device;
import io.headgate.scheduler.core.node.Geometry;
import io.headgate.scheduler.core.node.Node;
import io.headgate.scheduler.core.node.NodeId;
import io.headgate.scheduler.core.node.NodeStatus;
import io.headgate.scheduler.simulation.Scenario;
import io.headgate.type.GpuQuantity;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/// The workload of Kueue's published scheduler benchmark.
///
/// It has 5 cohorts of 6 queues. Each queue has quota 20, may borrow 100 more, and gets 350 small,
/// 100 medium and 50 large workloads at fixed intervals. Here a cohort is a pool and a queue a
/// policy; the quota plus the loan is the limit. Kueue's quota ignores machines, so each cohort has
/// one machine.
final class KueueShape {
  /// A class of workloads.
  private record Size(
      String name, int count, int intervalMs, int runtimeMs, int priority, int gpus) {}

  private static final List<Size> SIZES =
      List.of(
          new Size("large", 50, 1200, 1000, 200, 20),
          new Size("medium", 100, 500, 500, 100, 5),
          new Size("small", 350, 100, 200, 50, 1));

  private static final int COHORTS = 5;
  private static final int QUEUES = 6;
  private static final int QUOTA = 20;
  private static final int LIMIT = 120;

  /// How many workloads there are in all.
  static final int WORKLOADS = 15_000;

  private static final TenantId TENANT = new TenantId("kueue");

  private final List<Pool> pools = new ArrayList<>();
  private final List<Profile> profiles = new ArrayList<>();
  private final List<Policy> policies = new ArrayList<>();
  private final List<Queue> queues = new ArrayList<>();
  private final List<Node> nodes = new ArrayList<>();
  private final List<Scenario.Event> events = new ArrayList<>();

  static Scenario scenario() {
    KueueShape shape = new KueueShape();
    for (int cohort = 0; cohort < COHORTS; cohort++) {
      shape.addCohort(cohort);
    }
    shape.events.sort(Comparator.comparing(Scenario.Event::at));
    if (shape.events.size() != WORKLOADS) {
      throw new IllegalStateException(shape.events.size() + " workloads");
    }
    return new Scenario(
        new Catalog(TENANT, 1, shape.pools, shape.profiles, shape.policies, shape.queues),
        shape.nodes,
        List.of(),
        List.of(),
        shape.events,
        new Scenario.Options(Duration.ZERO, Duration.ZERO, Optional.empty()));
  }

  private void addCohort(int cohort) {
    PoolId pool = new PoolId(TENANT, "cohort-" + cohort);
    List<ProfileId> order = new ArrayList<>();
    for (Size size : SIZES) {
      ProfileId profile = new ProfileId(TENANT, "cohort-" + cohort + "-" + size.name());
      profiles.add(Profile.of(profile, GpuQuantity.ofGpus(size.gpus()), List.of(pool)));
      order.add(profile);
    }
    pools.add(Pool.of(pool).with().order(order).build());
    nodes.add(node(pool));
    for (int number = 0; number < QUEUES; number++) {
      PolicyId policy = new PolicyId(TENANT, "queue-" + cohort + "-" + number);
      policies.add(
          Policy.of(policy, GpuQuantity.ofGpus(QUOTA), GpuQuantity.ofGpus(LIMIT))
              .with()
              .preemptWithin(PreemptWithin.LOWER_PRIORITY)
              .build());
      for (int i = 0; i < SIZES.size(); i++) {
        QueueId queue = new QueueId(TENANT, policy.name() + "-" + SIZES.get(i).name());
        queues.add(new Queue(queue, policy, order.get(i), 1, true, true));
        addWorkloads(queue, SIZES.get(i));
      }
    }
  }

  private void addWorkloads(QueueId queue, Size size) {
    for (int i = 0; i < size.count(); i++) {
      Scenario.JobPlan plan =
          new Scenario.JobPlan(
              queue.name() + "-" + i,
              queue,
              new UserId("generator"),
              size.priority(),
              Optional.empty(),
              false,
              Optional.empty(),
              Optional.of(Duration.ofMillis(size.runtimeMs())),
              Optional.empty());
      events.add(
          new Scenario.Event(
              Duration.ofMillis((long) i * size.intervalMs()),
              new Scenario.Action.Submit(plan, 1)));
    }
  }

  private static Node node(PoolId pool) {
    List<Device> devices = new ArrayList<>();
    for (int i = 0; i < QUEUES * QUOTA; i++) {
      devices.add(
          new Device(
              i, pool.name() + "-" + i, "unit", 0, new Geometry.Continuous(), Isolation.NONE));
    }
    return new Node(
        new NodeId(TENANT, "machine-" + pool.name()), pool, devices, 0, 0, NodeStatus.READY);
  }
}
