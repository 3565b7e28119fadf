package io.headgate.deploy.simulate.replay;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

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
import io.headgate.scheduler.core.job.Assignment;
import io.headgate.scheduler.core.job.Slice;
import io.headgate.scheduler.core.job.WorkerPlace;
import io.headgate.scheduler.core.node.Device;
import io.headgate.scheduler.core.node.Geometry;
import io.headgate.scheduler.core.node.Node;
import io.headgate.scheduler.core.node.NodeId;
import io.headgate.scheduler.core.node.NodeStatus;
import io.headgate.scheduler.simulation.Scenario;
import io.headgate.scheduler.simulation.SimulationEvent;
import io.headgate.scheduler.simulation.SimulationEvent.StopResult;
import io.headgate.type.GpuQuantity;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// Four GPUs on one node, `rnd` and `ops` with reservations of two and limits of three.
class BooksTest {
  private static final TenantId TENANT = new TenantId("t");
  private static final PoolId POOL = new PoolId(TENANT, "pool");
  private static final ProfileId ONE = new ProfileId(TENANT, "one");

  private Books books = new Books(scenario());

  @BeforeEach
  void open() {
    books = new Books(scenario());
  }

  private static Scenario scenario() {
    List<Device> devices = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      devices.add(new Device(i, "g" + i, "A100", 0, new Geometry.Continuous(), Isolation.NONE));
    }
    List<Policy> policies = new ArrayList<>();
    List<Queue> queues = new ArrayList<>();
    for (String name : List.of("rnd", "ops")) {
      PolicyId id = new PolicyId(TENANT, name);
      policies.add(Policy.of(id, GpuQuantity.ofGpus(2), GpuQuantity.ofGpus(3)));
      queues.add(new Queue(new QueueId(TENANT, name), id, ONE, 1, true, true));
    }
    return new Scenario(
        new Catalog(
            TENANT,
            1,
            List.of(Pool.of(POOL)),
            List.of(Profile.of(ONE, GpuQuantity.ONE, List.of(POOL))),
            policies,
            queues),
        List.of(new Node(new NodeId(TENANT, "n"), POOL, devices, 0, 0, NodeStatus.READY)),
        List.of(),
        List.of(),
        List.of(),
        new Scenario.Options(Duration.ofSeconds(30), Duration.ZERO, Optional.empty()));
  }

  private void submit(String name, String queue, int priority) {
    books.submitted(
        new Scenario.JobPlan(
            name,
            new QueueId(TENANT, queue),
            new UserId("u"),
            priority,
            Optional.empty(),
            false,
            Optional.empty(),
            Optional.of(Duration.ofSeconds(100)),
            Optional.empty()),
        0);
  }

  private void start(String name, String queue, int device, GpuQuantity quantity) {
    Slice slice = new Slice(device, "g" + device, quantity, 0);
    WorkerPlace worker = new WorkerPlace(new NodeId(TENANT, "n"), List.of(slice), 0, 0);
    Assignment place = new Assignment(POOL, List.of(worker));
    books.happened(new SimulationEvent.Start(0, name, 1, queue, place));
  }

  private void run(String queue, int... devices) {
    for (int device : devices) {
      submit(queue + device, queue, 0);
      start(queue + device, queue, device, GpuQuantity.ONE);
    }
  }

  private static void broken(Runnable action, String message) {
    assertThatThrownBy(action::run)
        .isInstanceOf(BrokenInvariantException.class)
        .hasMessageContaining(message);
  }

  @Test
  void noSliceTwice() {
    run("rnd", 0);
    submit("late", "ops", 0);
    broken(
        () -> start("late", "ops", 0, GpuQuantity.ONE), "device 0 of node t/n has not 1 GPU free");
  }

  @Test
  void noPlaceOfAnotherSize() {
    submit("a", "rnd", 0);
    broken(() -> start("a", "rnd", 0, GpuQuantity.parse("1/2")), "a worker gets 1/2 GPUs");
    broken(() -> start("a", "rnd", 7, GpuQuantity.ONE), "device 7 of node t/n");
  }

  @Test
  void noUsageAboveALimit() {
    run("rnd", 0, 1, 2);
    submit("more", "rnd", 0);
    broken(() -> start("more", "rnd", 3, GpuQuantity.ONE), "policy t/rnd is above its limit");
  }

  @Test
  void nobodyPassesWithinAQueue() {
    submit("first", "rnd", 0);
    submit("urgent", "rnd", 1);
    broken(() -> start("first", "rnd", 0, GpuQuantity.ONE), "first starts before urgent");
    start("urgent", "rnd", 0, GpuQuantity.ONE);
    broken(() -> start("urgent", "rnd", 1, GpuQuantity.ONE), "starts while RUNNING");
  }

  @Test
  void nobodyLosesWithinItsReservation() {
    run("rnd", 0, 1);
    submit("claim", "ops", 0);
    broken(
        () -> books.happened(new SimulationEvent.Preempt(1, "rnd0", 1, "claim", "P1")),
        "policy t/rnd is not above its reservation");
  }

  @Test
  void eachRemovalIsLookedAtByItself() {
    run("rnd", 0, 1, 2);
    submit("claim", "ops", 0);
    books.happened(new SimulationEvent.Preempt(1, "rnd2", 1, "claim", "P1"));
    broken(
        () -> books.happened(new SimulationEvent.Preempt(1, "rnd1", 1, "claim", "P1")),
        "policy t/rnd is not above its reservation");
  }

  @Test
  void onlyTheEntitledPreempt() {
    run("rnd", 0, 1, 2);
    run("ops", 3);
    submit("claim", "ops", 0);
    books.happened(new SimulationEvent.Preempt(1, "rnd2", 1, "claim", "P1"));
    books.happened(new SimulationEvent.Stop(30_001, "rnd2", 1, StopResult.REQUEUED));
    start("claim", "ops", 2, GpuQuantity.ONE);
    submit("greed", "ops", 0);
    broken(
        () -> books.happened(new SimulationEvent.Preempt(2, "rnd1", 1, "greed", "P1")),
        "greed is not entitled");
    broken(
        () -> books.happened(new SimulationEvent.Preempt(2, "ops3", 1, "greed", "P9")),
        "priority is not lower");
  }

  @Test
  void attemptsEndWhenTheyShould() {
    run("rnd", 0);
    broken(
        () -> books.happened(new SimulationEvent.Finish(99_000, "rnd0", 1)),
        "would be done at 100000 ms");
    broken(
        () -> books.happened(new SimulationEvent.Stop(30_000, "rnd0", 1, StopResult.REQUEUED)),
        "RUNNING");
    books.happened(new SimulationEvent.Finish(100_000, "rnd0", 1));
  }

  @Test
  void nobodyWaitsForWhatIsFree() {
    run("rnd", 0, 1, 2);
    submit("allowed", "ops", 0);
    broken(() -> books.rest(5), "allowed waits although it would find a place");
    start("allowed", "ops", 3, GpuQuantity.ONE);
    submit("limited", "rnd", 0);
    books.rest(6);
  }

  @Test
  void whatIsHeldMayBeFree() {
    submit("holder", "rnd", 0);
    broken(() -> books.rest(5), "holder waits");
    books.happened(new SimulationEvent.Wait(6, "holder", "HOLDING", Map.of()));
    books.rest(7);
    books.happened(new SimulationEvent.Wait(8, "holder", "CAPACITY", Map.of()));
    broken(() -> books.rest(9), "holder waits");
  }
}
