package io.headgate.scheduler.core.property;

import static io.headgate.scheduler.core.property.Violation.require;
import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.scheduler.core.Decision;
import io.headgate.scheduler.core.Effect;
import io.headgate.scheduler.core.Input;
import io.headgate.scheduler.core.SchedulerCore;
import io.headgate.scheduler.core.job.StopCause;
import io.headgate.scheduler.core.property.Scenarios.Step;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;

/// The rules between tenants that share pools (A3), over made-up histories.
///
/// Seeds as in [Scenarios].
class TenantPropertiesTest {
  private static final int SCENARIOS = 600;
  private static final int STEPS = 25;

  private final AtomicInteger scenarios = new AtomicInteger();
  private final AtomicInteger victimsOfOtherTenants = new AtomicInteger();
  private final AtomicInteger waitsForTenantLimit = new AtomicInteger();
  private final AtomicInteger holdsTenantHeadroom = new AtomicInteger();

  @Test
  void holdInEveryScenario() {
    Scenarios.each(SCENARIOS, this::run);
    // The made-up tenants do meet.
    assertThat(victimsOfOtherTenants.get()).isGreaterThanOrEqualTo(scenarios.get() / 20);
    assertThat(waitsForTenantLimit.get()).isGreaterThanOrEqualTo(scenarios.get() / 20);
    assertThat(holdsTenantHeadroom.get()).isGreaterThanOrEqualTo(scenarios.get() / 20);
  }

  private void run(long seed) {
    List<Step> steps = new ArrayList<>();
    try {
      run(seed, steps);
    } catch (AssertionError | RuntimeException e) {
      throw Shrunk.error(
          TenantPropertiesTest.class,
          seed,
          History.of(SchedulerCore.DEFAULT_PLACEMENT, steps),
          Shrunk.oracle(TenantPropertiesTest::properties),
          e);
    }
  }

  private static Player.Check properties(History history) {
    return Shrunk.atRest(history, properties(new TenantChecker(new Shadow())));
  }

  private static Player.Check properties(TenantChecker checker) {
    return (step, decision, core) -> {
      checker.check(step.inputs(), decision, core, step.at());
      require(preemptions(decision) < 200, "preemptions of one decision are bounded");
    };
  }

  /// @param steps gets what happens
  private void run(long seed, List<Step> steps) {
    RandomGenerator random = Scenarios.random(seed);
    RandomWorld world = new RandomWorld(random, seed);
    TenantWorld tenants = new TenantWorld(Scenarios.random(~seed));
    List<Input> inputs = tenants.divide(world.beginning());
    Shadow shadow = new Shadow(((Input.CatalogChanged) inputs.getFirst()).catalog());
    TenantChecker checker = new TenantChecker(shadow);
    Player.Check properties = properties(checker);
    SchedulerCore core = SchedulerCore.empty();
    SchedulerCore twin = SchedulerCore.empty();
    Instant now = Instant.parse("2026-01-01T00:00:00Z");
    for (int i = 0; i < STEPS; i++) {
      Step step = new Step(now, inputs);
      steps.add(step);
      Decision decision = core.decide(inputs, now);
      properties.decided(step, decision, core);
      Shrunk.requireSame(decision, twin.decide(inputs, now));
      if (random.nextInt(4) == 0) {
        twin = twin.copy();
      }
      if (i % 8 == 7) {
        Shrunk.requireRest(core, step);
        Shrunk.requireRest(twin, step);
      }
      now = now.plus(Duration.ofSeconds(random.nextInt(240)));
      inputs = new ArrayList<>(tenants.divide(world.next(shadow, now)));
    }
    scenarios.incrementAndGet();
    victimsOfOtherTenants.addAndGet(checker.victimsOfOtherTenants);
    waitsForTenantLimit.addAndGet(checker.waitsForTenantLimit);
    holdsTenantHeadroom.addAndGet(checker.holdsTenantHeadroom);
  }

  private static long preemptions(Decision decision) {
    return decision.effects().stream()
        .filter(effect ->
            effect instanceof Effect.StopAttempt(var _, var order)
                && order.cause() instanceof StopCause.Preempted)
        .count();
  }
}
