package io.headgate.scheduler.core.property;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.scheduler.core.Decision;
import io.headgate.scheduler.core.Effect;
import io.headgate.scheduler.core.Input;
import io.headgate.scheduler.core.SchedulerCore;
import io.headgate.scheduler.core.catalog.Catalog;
import io.headgate.scheduler.core.catalog.Isolation;
import io.headgate.scheduler.core.catalog.Policy;
import io.headgate.scheduler.core.catalog.Pool;
import io.headgate.scheduler.core.catalog.PreemptionOutcome;
import io.headgate.scheduler.core.catalog.Profile;
import io.headgate.scheduler.core.job.Attempt;
import io.headgate.scheduler.core.job.AttemptId;
import io.headgate.scheduler.core.job.JobSpec;
import io.headgate.scheduler.core.job.StopCause;
import io.headgate.scheduler.core.job.StopOutcome;
import io.headgate.scheduler.core.node.Node;
import io.headgate.scheduler.core.property.Scenarios.Step;
import io.headgate.type.GpuQuantity;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;

/// The rules where most victims are kept suspended: of the worlds of the others, with few whole
/// GPUs and processors, some of whose policies have all that is reserved.
///
/// Seeds as in [Scenarios].
class SuspensionPropertiesTest {
  private static final int SCENARIOS = 200;
  private static final int STEPS = 25;

  private final AtomicInteger scenarios = new AtomicInteger();
  private final AtomicInteger resumed = new AtomicInteger();
  private final AtomicInteger displaced = new AtomicInteger();

  @Test
  void holdInEveryScenario() {
    Scenarios.each(SCENARIOS, this::run);
    assertThat(resumed.get())
        .as("some are suspended and go on")
        .isGreaterThanOrEqualTo(scenarios.get() / 40);
    assertThat(displaced.get()).as("some are ended for what they keep").isPositive();
  }

  private void run(long seed) {
    List<Step> steps = new ArrayList<>();
    try {
      run(seed, steps);
    } catch (AssertionError | RuntimeException e) {
      throw Shrunk.error(
          SuspensionPropertiesTest.class,
          seed,
          History.of(SchedulerCore.DEFAULT_PLACEMENT, steps),
          Shrunk.oracle(SuspensionPropertiesTest::properties),
          e);
    }
  }

  private static Player.Check properties(History history) {
    Checker checker = new Checker(new Shadow());
    return Shrunk.atRest(
        history,
        (step, decision, core) -> {
          checker.check(step.inputs(), decision, core, step.at());
          checker.checkRest(core);
        });
  }

  /// @param steps gets what happens
  private void run(long seed, List<Step> steps) {
    RandomGenerator random = Scenarios.random(seed);
    RandomWorld world = new RandomWorld(random, seed).withoutGates();
    Kept kept = new Kept(Scenarios.random(~seed), seed % 4 != 0);
    Shadow shadow = new Shadow(kept.small(world.catalog()));
    Checker checker = new Checker(shadow);
    SchedulerCore core = SchedulerCore.empty();
    SchedulerCore twin = SchedulerCore.empty();
    Instant now = Instant.parse("2026-01-01T00:00:00Z");
    List<Input> inputs = kept.of(world.beginning(), shadow);
    scenarios.incrementAndGet();
    for (int i = 0; i < STEPS; i++) {
      Step step = new Step(now, inputs);
      steps.add(step);
      Set<AttemptId> suspended = new HashSet<>();
      shadow.attempts.values().stream()
          .filter(Shadow::isKept)
          .forEach(attempt -> suspended.add(attempt.id()));
      Decision decision = core.decide(inputs, now);
      checker.check(inputs, decision, core, now);
      checker.checkRest(core);
      Shrunk.requireSame(decision, twin.decide(inputs, now));
      if (random.nextInt(4) == 0) {
        twin = twin.copy();
      }
      if (i % 8 == 7 || i == STEPS - 1) {
        Shrunk.requireRest(core, step);
        Shrunk.requireRest(twin, step);
      }
      resumed.addAndGet(
          (int) decision.effects().stream().filter(Effect.ResumeAttempt.class::isInstance).count());
      for (Effect effect : decision.effects()) {
        if (effect instanceof Effect.AttemptSuspended(var attempt)) {
          suspended.add(attempt.id());
        }
        boolean ends =
            effect instanceof Effect.StopAttempt(var id, var order)
                && order.cause() instanceof StopCause.Preempted
                && suspended.contains(id);
        displaced.addAndGet(ends ? 1 : 0);
      }
      now = now.plus(Duration.ofSeconds(random.nextInt(240)));
      inputs = kept.of(world.next(shadow, now), shadow);
    }
  }

  /// Makes a world one of few GPUs, whose jobs want to be kept. It draws from a stream of its own.
  ///
  /// @param crowded nodes have so few processors that what is kept is in the way of others
  private record Kept(RandomGenerator random, boolean crowded) {
    private boolean chance(int percent) {
      return random.nextInt(100) < percent;
    }

    List<Input> of(List<Input> inputs, Shadow shadow) {
      List<Input> all = new ArrayList<>();
      for (Input input : inputs) {
        switch (input) {
          case Input.CatalogChanged(var catalog) ->
              all.add(new Input.CatalogChanged(small(catalog)));
          case Input.NodeChanged(var node) -> all.add(new Input.NodeChanged(small(node)));
          case Input.JobSubmitted(var spec, var gate) ->
              all.add(new Input.JobSubmitted(keeping(spec), gate));
          case Input.WorkerStopped(var attempt, int worker) ->
              all.add(
                  isKept(shadow, attempt) && chance(80)
                      ? new Input.WorkerSuspended(attempt, worker)
                      : input);
          default -> all.add(input);
        }
      }
      for (Attempt attempt : List.copyOf(shadow.attempts.values())) {
        if (isKept(shadow, attempt.id()) && chance(95)) {
          all.add(new Input.WorkerSuspended(attempt.id(), 0));
        } else if (attempt.policy().name().equals("g0") ? chance(20) : crowded && chance(5)) {
          all.add(new Input.WorkerExited(attempt.id(), 0, 0));
        }
      }
      return all;
    }

    private static boolean isKept(Shadow shadow, AttemptId id) {
      Attempt attempt = shadow.attempts.get(id);
      return attempt != null
          && attempt.stop().filter(o -> o.outcome() == StopOutcome.SUSPEND).isPresent();
    }

    private JobSpec keeping(JobSpec spec) {
      return spec.with()
          .suspend(
              chance(90)
                  ? Optional.of(Duration.ofMinutes(1 + random.nextInt(60)))
                  : Optional.empty())
          .build();
    }

    private Node small(Node node) {
      return new Node(
          node.id(),
          node.pool(),
          node.devices().subList(0, Math.min(2, node.devices().size())),
          crowded ? 3000 : node.cpuMillis(),
          node.memoryBytes(),
          node.status(),
          node.runsImages());
    }

    private static Pool plain(Pool pool) {
      return Pool.of(pool.id()).with().order(pool.order()).build();
    }

    Catalog small(Catalog catalog) {
      List<Profile> profiles = new ArrayList<>();
      for (Profile profile : catalog.profiles()) {
        boolean pair = profile.id().name().equals("f1");
        Profile.Builder small = profile.with().gpus(GpuQuantity.parse(pair ? "2" : "1")).workers(1);
        if (crowded) {
          small
              .cpuMillis(profile.id().name().equals("f0") ? 2000 : 1000)
              .memoryBytes(0)
              .isolation(Isolation.NONE)
              .gpuModels(Set.of())
              .images(false)
              .pools(catalog.pools().stream().map(Pool::id).toList());
        }
        profiles.add(small.build());
      }
      List<Policy> policies = new ArrayList<>();
      for (Policy policy : catalog.policies()) {
        boolean owns = policy.id().name().equals("g0");
        GpuQuantity reservation = GpuQuantity.parse(owns ? "4" : "0");
        policies.add(
            policy
                .with()
                .reservation(reservation)
                .limit(GpuQuantity.parse("8"))
                .onPreempt(PreemptionOutcome.REQUEUE)
                .minRuntime(Duration.ZERO)
                .build());
      }
      return new Catalog(
          catalog.tenant(),
          catalog.version(),
          crowded ? catalog.pools().stream().map(Kept::plain).toList() : catalog.pools(),
          profiles,
          policies,
          catalog.queues());
    }
  }
}
