package io.headgate.scheduler.core.property;

import io.headgate.scheduler.core.ArbitraryPlacement;
import io.headgate.scheduler.core.Decision;
import io.headgate.scheduler.core.Input;
import io.headgate.scheduler.core.SchedulerCore;
import io.headgate.scheduler.core.placement.PlacementPolicy;
import io.headgate.scheduler.core.placement.StandardPlacement;
import io.headgate.scheduler.core.property.Scenarios.Step;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;

/// The named properties of the rules, over made-up tenants and histories. A failure says the name
/// of the violated property, the seed to run that scenario alone ([Scenarios]), and a file that has
/// it as small as it still fails ([Shrunk]).
///
/// | property | checked by |
/// |---|---|
/// | never over capacity, limit, dedication or geometry | [Checker], at every start |
/// | a running job counts on its queue's policy, however that is renamed | [Checker], after every decision |
/// | never two jobs on one slice | [Checker], after every decision |
/// | no policy at or below its reservation loses a job to another | [PreemptionCheck] |
/// | no entitled job waits while the P rules would make room | [RestChecker] |
/// | no proper subset of the victims would do | [PreemptionCheck], against each victim less, and all subsets of few |
/// | five more passes change nothing | here |
/// | preemptions between two external events are bounded | [PreemptionCheck]: each lowers the sum of over-reservation use, or moves strictly up an order; [IdleNodeTest] |
/// | no free capacity that some waiting job may use | [RestChecker] |
/// | no better-ranked job passed over for a worse one that fits no better | [Checker], [RestChecker] |
/// | same inputs, same output | here, by a twin that is now and then a copy of itself |
/// | names decide nothing | [RenamingTest] |
/// | scaling changes nothing | [PairedRunsTest] |
/// | adding an idle node never causes a preemption | [IdleNodeTest]: where it holds, where not |
/// | a job that goes away releases its hold in the same pass | [RestChecker] |
/// | no later job takes what a job needs that lost a worker and still stops | [ReturningCheck] |
/// | no later job of a limit's scope starts on headroom that another holds | [Checker], by [HeadroomRules] |
/// | the first job that a limit has blocked for long enough holds headroom | [HeadroomCheck] |
/// | a reason is never wrong | [RestChecker], by [Reference]; of all that wait, with their positions: [WaitingCheck] |
@Order(1) // It takes longest.
class PropertiesTest {
  private static final int SCENARIOS = 20_000;

  @Test
  void holdInEveryScenario() {
    Scenarios.each(SCENARIOS, PropertiesTest::run);
  }

  static void run(long seed) {
    List<Step> steps = new ArrayList<>();
    try {
      run(seed, steps);
    } catch (AssertionError | RuntimeException e) {
      throw Shrunk.error(
          PropertiesTest.class,
          seed,
          History.of(placement(seed), steps),
          Shrunk.oracle(PropertiesTest::properties),
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
  private static void run(long seed, List<Step> steps) {
    RandomGenerator random = Scenarios.random(seed);
    RandomWorld world = new RandomWorld(random, seed);
    Shadow shadow = new Shadow(world.catalog());
    Checker checker = new Checker(shadow);
    SchedulerCore core = SchedulerCore.empty(placement(seed));
    // A twin is replaced by a copy of itself now and then: decisions must not depend on earlier
    // questions.
    SchedulerCore twin = SchedulerCore.empty(placement(seed));
    Instant now = Instant.parse("2026-01-01T00:00:00Z");
    List<Input> inputs = world.beginning();
    int count = Scenarios.steps(seed);
    for (int i = 0; i < count; i++) {
      Step step = new Step(now, inputs);
      steps.add(step);
      Decision decision = core.decide(inputs, now);
      checker.check(inputs, decision, core, now);
      checker.checkRest(core);
      Shrunk.requireSame(decision, twin.decide(inputs, now));
      if (random.nextInt(4) == 0) {
        twin = twin.copy();
      }
      if (i % 8 == 7 || i == count - 1) {
        Shrunk.requireRest(core, step);
        Shrunk.requireRest(twin, step);
      }
      now = now.plus(Duration.ofSeconds(random.nextInt(240)));
      inputs = new ArrayList<>(world.next(shadow, now));
    }
  }

  /// Mostly the usual one; the rules hold with every other too.
  private static PlacementPolicy placement(long seed) {
    return switch ((int) (seed % 128)) {
      case 1 -> StandardPlacement.ROLL_OUT_FILL;
      case 33 -> StandardPlacement.LEAST_STRANDED;
      case 65, 97 -> new ArbitraryPlacement(seed);
      default -> SchedulerCore.DEFAULT_PLACEMENT;
    };
  }
}
