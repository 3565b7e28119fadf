package io.headgate.scheduler.core.property;

import static io.headgate.scheduler.core.property.Violation.require;
import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.scheduler.core.Decision;
import io.headgate.scheduler.core.Effect;
import io.headgate.scheduler.core.Input;
import io.headgate.scheduler.core.SchedulerCore;
import io.headgate.scheduler.core.catalog.Catalog;
import io.headgate.scheduler.core.catalog.Isolation;
import io.headgate.scheduler.core.catalog.Policy;
import io.headgate.scheduler.core.catalog.Pool;
import io.headgate.scheduler.core.catalog.PoolId;
import io.headgate.scheduler.core.catalog.PreemptWithin;
import io.headgate.scheduler.core.catalog.Profile;
import io.headgate.scheduler.core.catalog.Reclaim;
import io.headgate.scheduler.core.job.Attempt;
import io.headgate.scheduler.core.job.Job;
import io.headgate.scheduler.core.job.PreemptionRule;
import io.headgate.scheduler.core.node.Device;
import io.headgate.scheduler.core.node.Geometry;
import io.headgate.scheduler.core.node.Node;
import io.headgate.scheduler.core.property.Scenarios.Step;
import io.headgate.type.GpuQuantity;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/// Compares the core with [EvictAll].
class EvictAllTest {
  private static final int SCENARIOS = 2000;

  private final AtomicLong served = new AtomicLong();
  private final AtomicLong settled = new AtomicLong();
  private final AtomicLong waiting = new AtomicLong();

  /// In every world: the core makes room only where evicting all evictable attempts makes some.
  @Test
  void preemptingJobsCouldBeServed() {
    Scenarios.follow(
        EvictAllTest.class,
        SCENARIOS,
        input -> input,
        seed -> {
          List<Shadow> before = new ArrayList<>();
          return (step, decision, core, shadow) -> {
            if (!before.isEmpty()) {
              followPreemptions(before.removeFirst(), step, decision, core);
            }
            before.add(shadow.copy());
          };
        });
    assertThat(served.get()).as("preemptions that were compared").isPositive();
  }

  private void followPreemptions(Shadow shadow, Step step, Decision decision, SchedulerCore core) {
    step.inputs().forEach(shadow::apply);
    shadow.setAside(core.state());
    for (Effect effect : decision.effects()) {
      // Holds of O7 are lifted while others look for room; what they keep is no part of this.
      if (effect instanceof Effect.HoldPlaced(var hold)
          && hold.rule().equals(Optional.of(PreemptionRule.P1))) {
        Reference rules = new Reference(shadow, step.at(), BlockedHoldCheck.blocked(shadow));
        require(
            new EvictAll(rules).couldServe(shadow.jobs.get(hold.job())),
            "whoever preempts could be served if all were evicted",
            hold);
        served.incrementAndGet();
      }
      shadow.apply(effect);
    }
  }

  /// Holds where every job is of one GPU, in one pool, and agents have carried out all orders.
  @Test
  void withOneSizeEntitledJobsGetAllThatTheyCouldGet() {
    Scenarios.follow(
        EvictAllTest.class,
        SCENARIOS,
        EvictAllTest::ofOneSize,
        seed -> (step, decision, core, shadow) -> compareAtRest(core.copy(), step.at(), shadow));
    assertThat(settled.get()).isPositive();
    assertThat(waiting.get()).as("entitled jobs that waited").isPositive();
  }

  private void compareAtRest(SchedulerCore core, Instant now, Shadow known) {
    Shadow shadow = known.copy();
    settle(core, now, shadow);
    Reference rules = new Reference(shadow, now);
    EvictAll all = new EvictAll(rules);
    Victims victims = new Victims(rules);
    for (Job job : rules.heads()) {
      if (rules.isPolicyEntitled(job)
          && victims.rightsFor(job).stream().anyMatch(right -> right.rule() == PreemptionRule.P1)) {
        waiting.incrementAndGet();
        require(!all.couldServe(job), "an entitled job that could be served does not wait", job);
      }
    }
    Pool pool = shadow.catalog.pools().getFirst();
    long again = all.entitledAfterPlacingAgain(pool);
    require(
        all.entitledNow() >= again,
        "entitled jobs get all that they would get if all were placed again",
        all.entitledNow(),
        again);
    settled.incrementAndGet();
  }

  private static void settle(SchedulerCore core, Instant now, Shadow shadow) {
    while (true) {
      List<Input> obeyed = new ArrayList<>();
      for (Attempt attempt : core.state().attempts()) {
        for (int worker = 0;
            attempt.stop().isPresent() && worker < attempt.workers().size();
            worker++) {
          obeyed.add(new Input.WorkerStopped(attempt.id(), worker));
        }
      }
      if (obeyed.isEmpty()) {
        return;
      }
      core.decide(obeyed, now).effects().forEach(shadow::apply);
      shadow.setAside(core.state());
    }
  }

  private static Input ofOneSize(Input input) {
    return switch (input) {
      case Input.CatalogChanged(var catalog) -> new Input.CatalogChanged(ofOneSize(catalog));
      case Input.NodeChanged(var node) -> new Input.NodeChanged(whole(node));
      default -> input;
    };
  }

  private static Catalog ofOneSize(Catalog catalog) {
    PoolId only = catalog.pools().getFirst().id();
    Pool pool = Pool.of(only).with().order(catalog.pools().getFirst().order()).build();
    return new Catalog(
        catalog.tenant(),
        catalog.version(),
        List.of(pool),
        catalog.profiles().stream().map(profile -> one(profile, only)).toList(),
        catalog.policies().stream().map(EvictAllTest::plain).toList(),
        catalog.queues());
  }

  private static Profile one(Profile profile, PoolId pool) {
    return Profile.of(profile.id(), GpuQuantity.ONE, List.of(pool))
        .with()
        .holdAfter(Duration.ofDays(365))
        .reclaim(Reclaim.RESERVATION)
        .build();
  }

  private static Policy plain(Policy policy) {
    return policy
        .with()
        .minRuntime(Duration.ZERO)
        .preemptAfter(Duration.ZERO)
        .exceedLimit(Set.of())
        .preemptWithin(PreemptWithin.NEVER)
        .build();
  }

  /// As many devices whenever it joins: on one that is gone a victim would make no room.
  private static Node whole(Node node) {
    int gpus = 1 + Math.floorMod(node.id().name().hashCode(), 6);
    List<Device> devices = new ArrayList<>();
    for (int i = 0; i < gpus; i++) {
      devices.add(
          new Device(
              i,
              node.id().name() + "-" + i,
              "A",
              80L << 30,
              new Geometry.Continuous(),
              Isolation.NONE));
    }
    return new Node(
        node.id(),
        new PoolId(node.pool().tenant(), "p0"),
        devices,
        node.cpuMillis(),
        node.memoryBytes(),
        node.status());
  }
}
