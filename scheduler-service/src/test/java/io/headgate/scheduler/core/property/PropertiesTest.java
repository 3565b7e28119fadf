package io.headgate.scheduler.core.property;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.scheduler.core.Decision;
import io.headgate.scheduler.core.Input;
import io.headgate.scheduler.core.SchedulerCore;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;
import org.junit.jupiter.api.Test;

/// The named properties of the rules, over made-up tenants and histories.
///
/// A failure prints its seed; `-Dheadgate.seed=N` runs that one scenario, `-Dheadgate.scenarios=N`
/// more of them.
class PropertiesTest {
  private static final int SCENARIOS = Integer.getInteger("headgate.scenarios", 3000);
  private static final int STEPS = 25;

  private static RandomGenerator random(long seed) {
    return RandomGeneratorFactory.of("L64X128MixRandom").create(seed);
  }

  @Test
  void holdInEveryScenario() {
    Long only = Long.getLong("headgate.seed");
    if (only != null) {
      run(only);
      return;
    }
    for (long seed = 1; seed <= SCENARIOS; seed++) {
      try {
        run(seed);
      } catch (AssertionError | RuntimeException e) {
        throw new AssertionError("seed " + seed + ": " + e.getMessage(), e);
      }
    }
  }

  private static void run(long seed) {
    RandomGenerator random = random(seed);
    RandomWorld world = new RandomWorld(random);
    Shadow shadow = new Shadow(world.catalog());
    Checker checker = new Checker(shadow);
    SchedulerCore core = SchedulerCore.empty();
    // A twin is replaced by a copy of itself now and then: decisions must not depend on what was
    // asked before.
    SchedulerCore twin = SchedulerCore.empty();
    Instant now = Instant.parse("2026-01-01T00:00:00Z");
    List<Input> inputs = world.beginning();
    for (int step = 0; step < STEPS; step++) {
      Decision decision = core.decide(inputs, now);
      checker.check(inputs, decision, core, now);
      checker.checkRest(core);
      requireSame(decision, twin.decide(inputs, now));
      if (random.nextInt(4) == 0) {
        twin = twin.copy();
      }
      if (step % 8 == 7) {
        for (int i = 0; i < 5; i++) {
          List<Input> pass = List.of(new Input.TimePassed());
          assertThat(core.decide(pass, now).effects())
              .as("five more passes change nothing")
              .isEmpty();
          twin.decide(pass, now);
        }
      }
      now = now.plus(Duration.ofSeconds(random.nextInt(240)));
      inputs = new ArrayList<>(world.next(shadow, now));
    }
  }

  private static void requireSame(Decision decision, Decision twins) {
    if (decision.equals(twins)) {
      return;
    }
    int same = 0;
    while (same < Math.min(decision.effects().size(), twins.effects().size())
        && decision.effects().get(same).equals(twins.effects().get(same))) {
      same++;
    }
    throw new AssertionError(
        "violated: same inputs, same output: after %d effects\n  %s\n  %s\n  wake %s %s"
            .formatted(
                same,
                decision.effects().stream().skip(same).findFirst(),
                twins.effects().stream().skip(same).findFirst(),
                decision.wakeAt(),
                twins.wakeAt()));
  }
}
