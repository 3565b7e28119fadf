package io.headgate.scheduler.core.property;

import io.headgate.scheduler.core.Input;
import io.headgate.scheduler.core.SchedulerCore;
import io.headgate.scheduler.core.Settling;
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
import io.headgate.scheduler.core.catalog.Reclaim;
import io.headgate.scheduler.core.catalog.TenantId;
import io.headgate.scheduler.core.catalog.UserId;
import io.headgate.scheduler.core.job.JobId;
import io.headgate.scheduler.core.job.JobSpec;
import io.headgate.scheduler.core.node.Device;
import io.headgate.scheduler.core.node.Geometry;
import io.headgate.scheduler.core.node.Node;
import io.headgate.scheduler.core.node.NodeId;
import io.headgate.scheduler.core.node.NodeStatus;
import io.headgate.type.GpuQuantity;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;

/// Small worlds, under each right of preemption alone and under all together: without outside
/// events no state comes twice, and at rest five more passes change nothing.
class TerminationPropertiesTest {
  private static final int SCENARIOS = 5_000;
  private static final TenantId TENANT = new TenantId("t");
  private static final PoolId POOL = new PoolId(TENANT, "p");
  private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");

  /// The rights that a world has beside P1.
  private record Rights(boolean rank, boolean within, boolean fair) {}

  private static final List<Rights> RIGHTS =
      List.of(
          new Rights(false, false, false),
          new Rights(true, false, false),
          new Rights(false, true, false),
          new Rights(false, false, true),
          new Rights(true, true, true));

  @Test
  void everyStateComesOnce() {
    Scenarios.each(SCENARIOS, TerminationPropertiesTest::run);
  }

  private static void run(long seed) {
    RandomGenerator random = Scenarios.random(seed);
    Rights rights = RIGHTS.get((int) (seed % RIGHTS.size()));
    Catalog catalog = catalog(random, rights);
    SchedulerCore core = SchedulerCore.empty();
    List<Input> beginning = new ArrayList<>(List.of(new Input.CatalogChanged(catalog)));
    int nodes = 1 + random.nextInt(2);
    for (int i = 0; i < nodes; i++) {
      beginning.add(new Input.NodeChanged(node("n" + i, 1 + random.nextInt(4))));
    }
    core.decide(beginning, NOW);
    int count = 3 + random.nextInt(6);
    for (int job = 1; job <= count; job++) {
      QueueId queue = catalog.queues().get(random.nextInt(catalog.queues().size())).id();
      core.decide(
          List.of(
              new Input.JobSubmitted(
                  new JobSpec(
                      new JobId(job),
                      queue,
                      new UserId("u"),
                      random.nextInt(3),
                      Optional.empty(),
                      Optional.empty()))),
          NOW);
      if (random.nextInt(3) > 0) {
        Settling.requireRest(core, NOW);
      }
    }
    Settling.requireRest(core, NOW);
  }

  private static Catalog catalog(RandomGenerator random, Rights rights) {
    List<Profile> profiles = new ArrayList<>();
    int sizes = 1 + random.nextInt(3);
    for (int i = 0; i < sizes; i++) {
      profiles.add(
          Profile.of(
                  new ProfileId(TENANT, "f" + i),
                  GpuQuantity.ofGpus(1 + random.nextInt(4)),
                  List.of(POOL))
              .with()
              .reclaim(reclaim(random, rights))
              .build());
    }
    List<Policy> policies = new ArrayList<>();
    List<Queue> queues = new ArrayList<>();
    int most = 2 + random.nextInt(2);
    for (int i = 0; i < most; i++) {
      PolicyId policy = new PolicyId(TENANT, "g" + i);
      int reservation = random.nextInt(4);
      policies.add(
          Policy.of(
                  policy,
                  GpuQuantity.ofGpus(reservation),
                  GpuQuantity.ofGpus(reservation + 1 + random.nextInt(5)))
              .with()
              .weight(1 + random.nextInt(2))
              .preemptWithin(
                  rights.within() && random.nextInt(3) > 0
                      ? PreemptWithin.LOWER_PRIORITY
                      : PreemptWithin.NEVER)
              .build());
      for (Profile profile : profiles) {
        int ranks = 1 + random.nextInt(2);
        for (int rank = 1; rank <= ranks; rank++) {
          queues.add(
              new Queue(
                  new QueueId(TENANT, "g" + i + "-" + profile.id().name() + "-" + rank),
                  policy,
                  profile.id(),
                  1 + random.nextInt(2),
                  true,
                  true));
        }
      }
    }
    List<ProfileId> order = new ArrayList<>();
    for (Profile profile : profiles) {
      if (random.nextInt(3) == 0) {
        order.add(profile.id());
      }
    }
    Pool pool = Pool.of(POOL).with().order(order).build();
    return new Catalog(TENANT, 1, List.of(pool), profiles, policies, queues);
  }

  private static Reclaim reclaim(RandomGenerator random, Rights rights) {
    List<Reclaim> open = new ArrayList<>(List.of(Reclaim.RESERVATION, Reclaim.STRICT));
    if (rights.rank()) {
      open.addAll(List.of(Reclaim.RANK, Reclaim.RANK));
    }
    if (rights.fair()) {
      open.addAll(List.of(Reclaim.FAIR, Reclaim.FAIR));
    }
    return open.get(random.nextInt(open.size()));
  }

  private static Node node(String name, int gpus) {
    List<Device> devices = new ArrayList<>();
    for (int i = 0; i < gpus; i++) {
      devices.add(
          new Device(i, name + "-" + i, "A", 80L << 30, new Geometry.Continuous(), Isolation.NONE));
    }
    return new Node(new NodeId(TENANT, name), POOL, devices, 64_000, 64L << 30, NodeStatus.READY);
  }
}
