package io.headgate.deploy.simulate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.headgate.deploy.simulate.ScenarioRun.Event;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/// The scenarios that a platform engineer would notice, with the result that each must have. The
/// files are in `src/test/resources/scenarios`. A test whose rule is not built yet names the rule.
class ScenariosTest {
  private static final double HOUR = 3600;
  private static final double DEFAULT_HOLD_AFTER = 600;

  private static final double ROUNDING = 1e-6;

  /// The run time of every small job.
  private static final double SMALL = 600;

  @Test
  void aReservationIsHonouredAlthoughOthersAreScatteredOverTheNodes() {
    ScenarioRun run = ScenarioRun.of("31-reclaim-fragmented.json");

    assertThat(run.start("big")).isEqualTo(10);
    assertThat(run.preempted())
        .hasSize(8)
        .allSatisfy(victim -> assertThat(run.node(victim)).isEqualTo(run.node("big")));
  }

  @Test
  void aStreamOfATeamsSmallJobsDoesNotStarveItsLargeOne() {
    ScenarioRun run = ScenarioRun.of("29-starve-limit-order.json");

    assertThat(run.start("big")).isLessThanOrEqualTo(1200 + DEFAULT_HOLD_AFTER + SMALL);
  }

  @Test
  void theNamesOfProfilesDecideNothing() {
    assertThat(ScenarioRun.text("01-starve-a.json").replace("a1", "z1"))
        .isEqualTo(ScenarioRun.text("01-starve-b.json"));
    List<String> renamed =
        ScenarioRun.of("01-starve-a.json").lines().stream()
            .map(line -> line.replace("small-a1", "small-z1"))
            .toList();

    assertThat(ScenarioRun.of("01-starve-b.json").lines()).isEqualTo(renamed);
  }

  @Test
  void aLargeJobIsNotStarvedByOtherPoliciesOfTheSamePosition() {
    for (String file : List.of("01-starve-a.json", "01-starve-b.json")) {
      assertThat(ScenarioRun.of(file).start("big"))
          .as(file)
          .isLessThanOrEqualTo(1200 + DEFAULT_HOLD_AFTER + SMALL);
    }
  }

  @Test
  void policiesWithJobsOfSeveralSizesShareEqually() {
    sharesEqually(ScenarioRun.of("08-size-bias.json"));
  }

  /// The file names an order, and by O2 a named order decides: b2 takes everything. So the order is
  /// taken out of the file here.
  @Test
  void soTheyDoInTheOtherFileWithoutItsOrder() {
    sharesEqually(
        ScenarioRun.patched("08b-size-bias-rev.json", ", \"order\": [\"b2\", \"a1\"]", ""));
  }

  private static void sharesEqually(ScenarioRun run) {
    for (double hour = HOUR; hour < run.until(); hour += HOUR) {
      assertThat(run.share("x-a1", hour, hour + HOUR))
          .as("hour from %s", hour)
          .isCloseTo(0.5, within(0.05));
    }
  }

  @Test
  void aNamedOrderDecidesBetweenPositions() {
    ScenarioRun run = ScenarioRun.of("08b-size-bias-rev.json");

    assertThat(run.share("y-b2", HOUR, run.until())).isCloseTo(1, within(ROUNDING));
  }

  @Test
  void nothingIsHeldOnANodeThatWillProbablyNeverBeFree() {
    everyShortJobRunsAtOnce(ScenarioRun.of("02-hold-endless.json"));
  }

  @Test
  void norForShortJobsWithADeclaredRunTime() {
    everyShortJobRunsAtOnce(ScenarioRun.of("15-hold-endless-maxrt.json"));
  }

  /// Thirty times, seven short jobs come beside the service that never ends.
  private static void everyShortJobRunsAtOnce(ScenarioRun run) {
    List<Double> submitted = IntStream.range(0, 30 * 7).mapToObj(i -> 700.0 + i / 7 * 600).toList();

    assertThat(run.all("start").stream().filter(start -> start.job().startsWith("d")))
        .extracting(Event::at)
        .isEqualTo(submitted);
    assertThat(run.starts("train")).isEmpty();
    assertThat(run.of("stop", "svc")).isEmpty();
  }

  @Test
  void theReasonNamesTheScatteredJobsThatAreInTheWay() {
    ScenarioRun run = ScenarioRun.of("04b-fractions.json");

    assertThat(run.of("wait", "t").getFirst().line())
        .contains("\"reason\":\"FRAGMENTATION\"", "\"blockedBy\":");
    assertThat(run.preempted()).isEmpty();
  }

  /// The file declares neither the pool's `consolidate` nor jobs that are `movable`.
  @Test
  void aPoolThatConsolidatesMovesTheScatteredJobsAway() {
    ScenarioRun run =
        ScenarioRun.patched(
            "04b-fractions.json",
            "\"type\": \"static\"",
            "\"type\": \"static\", \"consolidate\": true",
            "\"queue\": \"nb-half\",",
            "\"queue\": \"nb-half\", \"movable\": true,");

    assertThat(run.start("t")).isLessThanOrEqualTo(120 + SMALL);
    assertThat(run.all("preempt"))
        .isNotEmpty()
        .allSatisfy(move -> {
          assertThat(move.field("rule")).isEqualTo("P11");
          assertThat(move.field("by")).isEqualTo("t");
          assertThat(run.starts(move.job())).hasSize(2);
        });
  }

  /// The file has the default of `reclaim`.
  @Test
  void equalPoliciesShareWithinSecondsWhereProfilesReclaimFairly() {
    ScenarioRun run =
        ScenarioRun.patched(
            "06-late-equal.json",
            "\"gpus\": 1, \"pools\"",
            "\"gpus\": 1, \"reclaim\": \"fair\", \"pools\"");

    assertThat(run.gpus("a-one", 70, 8 * HOUR)).isCloseTo(4, within(ROUNDING));
    assertThat(run.gpus("b-one", 70, 8 * HOUR)).isCloseTo(4, within(ROUNDING));
    assertThat(run.preempted()).hasSize(4);
  }

  @Test
  void equalPoliciesWaitForEachOtherOtherwise() {
    ScenarioRun run = ScenarioRun.of("06-late-equal.json");

    assertThat(run.start("b-0")).isEqualTo(8 * HOUR);
    assertThat(run.preempted()).isEmpty();
  }

  /// The file's pool has no `fairness`.
  @Test
  void aNewcomerGetsMoreUntilPastUseHasEvenedOut() {
    ScenarioRun run =
        ScenarioRun.patched(
            "13-time-fair.json",
            "\"type\": \"static\"",
            "\"type\": \"static\", \"fairness\": {\"halfLife\": \"10h\"}");
    double first = run.share("b-one", 10.5 * HOUR, 11.5 * HOUR);
    double last = run.share("b-one", 19 * HOUR, 20 * HOUR);

    assertThat(first).isGreaterThan(0.6);
    assertThat(last).isGreaterThanOrEqualTo(0.5).isLessThan(first);
  }

  @Test
  void pastUseDoesNotCountWithoutAHalfLife() {
    ScenarioRun run = ScenarioRun.of("13-time-fair.json");

    assertThat(run.share("b-one", 10.5 * HOUR, 20 * HOUR)).isCloseTo(0.5, within(0.05));
  }

  @Test
  void reservationsAboveTheCapacityAreServedInProportion() {
    ScenarioRun run = ScenarioRun.of("10-oversub.json");

    sharesEquallyPerHour(run, 2 * HOUR, 40 * HOUR);
  }

  @Test
  void soTheyAreAfterTheLossOfANode() {
    ScenarioRun run = ScenarioRun.of("10b-node-loss.json");

    assertThat(run.gpus("a-one", 0.5 * HOUR, HOUR)).isCloseTo(8, within(ROUNDING));
    sharesEquallyPerHour(run, 1.5 * HOUR, 4.5 * HOUR);
    assertThat(run.gpus("a-one", 5.5 * HOUR, 6.5 * HOUR)).isCloseTo(8, within(0.8));
    assertThat(run.gpus("b-one", 5.5 * HOUR, 6.5 * HOUR)).isCloseTo(8, within(0.8));
  }

  private static void sharesEquallyPerHour(ScenarioRun run, double from, double to) {
    for (double hour = from; hour < to; hour += HOUR) {
      assertThat(run.share("a-one", hour, hour + HOUR))
          .as("hour from %s", hour)
          .isCloseTo(0.5, within(0.05));
    }
  }

  @Test
  void theLastStartedOfEqualVictimsGoesAndNotTheLargest() {
    assertThat(ScenarioRun.of("11-victim-size.json").preempted()).containsExactly("a-small-3");
  }

  @Test
  void theLowestPriorityGoesBeforeTheLastStarted() {
    assertThat(ScenarioRun.of("12-victim-priority.json").preempted()).containsExactly("low-2");
  }

  @Test
  void soThatNoSecondPreemptionFollowsWithinThePolicy() {
    assertThat(ScenarioRun.of("12b-victim-priority-within.json").preempted())
        .containsExactly("low-2");
  }

  @Test
  void aJobIsStoppedOnceForEachThatNeedsItAndNeverInTheDecisionThatStartedIt() {
    ScenarioRun run = ScenarioRun.of("21-thrash-p9.json");

    assertThat(run.all("preempt"))
        .extracting(victim -> victim.job() + " for " + victim.field("by"))
        .doesNotHaveDuplicates();
    assertThat(run.all("preempt"))
        .allSatisfy(victim ->
            assertThat(run.starts(victim.job())).as(victim.line()).doesNotContain(victim.at()));
    assertThat(run.all("finish")).hasSize(28);
  }

  @Test
  void aGangThatLosesANodeIsNext() {
    ScenarioRun run = ScenarioRun.of("17-gang-node-loss.json");

    assertThat(run.starts("first-0")).startsWith(0.0, 3660.0);
    assertThat(run.start("later-0")).isGreaterThan(3660);
  }

  @Test
  void itComesBackBeforeAJobOfItsQueueThatWaits() {
    ScenarioRun run = ScenarioRun.of("gang-node-down.yaml");

    assertThat(run.starts("first")).containsExactly(0.0, 10.0);
    assertThat(run.start("second")).isEqualTo(110);
  }

  @Test
  void whatACancellationFreesGoesByTheOrderOfItsPool() {
    ScenarioRun run = ScenarioRun.of("exec-prio.yaml");

    assertThat(run.start("three")).isEqualTo(10);
    assertThat(run.start("two-0")).isGreaterThan(10);
  }

  @Test
  void aSubmissionIsPossibleIfAChangeAtTheSameInstantMakesItSo() {
    ScenarioRun run = ScenarioRun.of("neverfits.yaml");

    assertThat(run.start("j")).isZero();
    assertThat(run.all("wait")).isEmpty();
  }
}
