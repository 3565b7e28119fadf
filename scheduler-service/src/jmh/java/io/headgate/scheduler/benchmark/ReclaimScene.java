package io.headgate.scheduler.benchmark;

import io.headgate.scheduler.core.Input;
import io.headgate.scheduler.core.SchedulerCore;
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
import io.headgate.type.GpuQuantity;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// Nodes of 8 GPUs full of one-GPU jobs that have to go when a gang asks.
final class ReclaimScene {
  private static final TenantId TENANT = new TenantId("bench");
  private static final PoolId POOL = new PoolId(TENANT, "pool");
  private static final ProfileId ONE = new ProfileId(TENANT, "one");
  private static final ProfileId GANG = new ProfileId(TENANT, "gang");
  private static final QueueId SMALL = new QueueId(TENANT, "small");
  private static final QueueId LARGE = new QueueId(TENANT, "large");
  private static final UserId USER = new UserId("user");

  private final SchedulerCore core = SchedulerCore.empty();
  private final Instant now = Instant.parse("2026-01-01T00:00:00Z");
  private final int jobs;
  private final int gang;

  ReclaimScene(int nodes) {
    jobs = 8 * nodes;
    gang = Math.max(1, nodes / 10);
    GpuQuantity all = GpuQuantity.parse(Integer.toString(jobs));
    PolicyId guest = new PolicyId(TENANT, "guest");
    PolicyId owner = new PolicyId(TENANT, "owner");
    List<Input> inputs = new ArrayList<>();
    inputs.add(
        new Input.CatalogChanged(
            new Catalog(
                TENANT,
                1,
                List.of(Pool.of(POOL)),
                List.of(
                    Profile.of(ONE, GpuQuantity.ONE, List.of(POOL)),
                    Profile.of(GANG, GpuQuantity.parse("8"), List.of(POOL))
                        .with()
                        .workers(gang)
                        .build()),
                List.of(Policy.of(guest, GpuQuantity.ZERO, all), Policy.of(owner, all, all)),
                List.of(
                    new Queue(SMALL, guest, ONE, 1, true, true),
                    new Queue(LARGE, owner, GANG, 1, true, true)))));
    for (int i = 0; i < nodes; i++) {
      inputs.add(new Input.NodeChanged(node(i)));
    }
    for (int i = 1; i <= jobs; i++) {
      inputs.add(new Input.JobSubmitted(job(i, SMALL)));
    }
    core.decide(inputs, now);
  }

  private static Node node(int number) {
    List<Device> devices = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      devices.add(
          new Device(
              i,
              "gpu-" + number + "-" + i,
              "H100",
              80L << 30,
              new Geometry.Continuous(),
              Isolation.HARDWARE));
    }
    return new Node(
        new NodeId(TENANT, "node-%06d".formatted(number)),
        POOL,
        devices,
        128_000,
        1L << 40,
        NodeStatus.READY);
  }

  private static JobSpec job(int id, QueueId queue) {
    return new JobSpec(new JobId(id), queue, USER, 0, Optional.empty(), Optional.empty());
  }

  SchedulerCore core() {
    return core;
  }

  Instant now() {
    return now;
  }

  /// The GPUs that the gang needs.
  int gangGpus() {
    return 8 * gang;
  }

  /// The gang that reclaims a tenth of the nodes.
  JobSpec gang() {
    return job(jobs + 1, LARGE);
  }
}
