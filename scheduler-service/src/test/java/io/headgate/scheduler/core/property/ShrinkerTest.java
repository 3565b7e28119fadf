package io.headgate.scheduler.core.property;

import static io.headgate.scheduler.core.property.Violation.require;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.scheduler.core.Effect;
import io.headgate.scheduler.core.Input;
import io.headgate.scheduler.core.SchedulerCore;
import io.headgate.scheduler.core.catalog.Catalog;
import io.headgate.scheduler.core.catalog.Queue;
import io.headgate.scheduler.core.job.StopCause;
import io.headgate.scheduler.core.property.Scenarios.Step;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/// The shrinker, on a property that is wrong on purpose: "no job preempts two at once".
///
/// Its result for the first seed that breaks the property stands in `src/test/shrunk`, with the
/// output of `headgate simulate`; a test of `deploy` has the command read and play it.
class ShrinkerTest {
  private static final Path FILE = Path.of("src", "test", "shrunk", "two-victims.yaml");
  private static final String PLANTED = "nobody preempts two at once";
  private static final int LAST_SEED = 2000;

  private static final Shrinker.Oracle ORACLE =
      Shrunk.oracle(history ->
          (step, decision, core) ->
              decision.effects().stream()
                  .filter(ShrinkerTest::isPreemption)
                  .map(effect -> ((Effect.StopAttempt) effect).order().cause())
                  .map(cause -> ((StopCause.Preempted) cause).by())
                  .distinct()
                  .forEach(by ->
                      require(
                          decision.effects().stream()
                                  .filter(ShrinkerTest::isPreemption)
                                  .map(effect -> ((Effect.StopAttempt) effect).order())
                                  .filter(order ->
                                      ((StopCause.Preempted) order.cause()).by().equals(by))
                                  .count()
                              < 2,
                          PLANTED,
                          by)));

  private static boolean isPreemption(Effect effect) {
    return effect instanceof Effect.StopAttempt(var _, var order)
        && order.cause() instanceof StopCause.Preempted;
  }

  /// A history that breaks the planted property, and what became of it.
  private record Failing(History history, History small) {}

  /// The first made-up one that does so too when agents obey, and that a file can say.
  private static Failing failing() {
    for (long seed = 1; seed <= LAST_SEED; seed++) {
      History history =
          History.of(SchedulerCore.DEFAULT_PLACEMENT, Scenarios.record(seed, input -> input));
      if (!hasDepartments(history) && ORACLE.apply(history).isPresent()) {
        History small = Shrinker.shrink(history, ORACLE);
        if (small.obedience().isPresent() && isAcceptable(small)) {
          return new Failing(history, small);
        }
      }
    }
    throw new AssertionError("no seed breaks it");
  }

  /// Departments play no part in the planted property.
  private static boolean hasDepartments(History history) {
    return history.steps().stream()
        .flatMap(step -> step.inputs().stream())
        .anyMatch(input ->
            input instanceof Input.CatalogChanged(var catalog) && !catalog.departments().isEmpty());
  }

  /// Whether every configuration passes the checks of a file: no profile needs more than the limit
  /// of a policy that has a queue for it.
  private static boolean isAcceptable(History history) {
    return history.steps().stream()
        .flatMap(step -> step.inputs().stream())
        .allMatch(input ->
            !(input instanceof Input.CatalogChanged(var catalog))
                || catalog.queues().stream().allMatch(queue -> isWithinLimit(queue, catalog)));
  }

  private static boolean isWithinLimit(Queue queue, Catalog catalog) {
    Shadow shadow = new Shadow(catalog);
    return shadow
            .profile(queue.profile())
            .orElseThrow()
            .need()
            .compareTo(shadow.policy(queue.policy()).orElseThrow().limit())
        <= 0;
  }

  @Test
  void leavesOnlyWhatBreaksThePlantedProperty() throws IOException {
    Failing failing = failing();
    History small = failing.small();
    assertThat(ORACLE.apply(small)).contains(PLANTED);
    String text = ScenarioText.write(small, List.of("Planted: \"" + PLANTED + "\" does not hold."));
    assertThat(inputs(small)).as(text).isLessThanOrEqualTo(8).isLessThan(inputs(failing.history()));
    assertThat(Shrinker.shrink(failing.history(), ORACLE)).as("the same again").isEqualTo(small);
    if ("write".equals(System.getProperty("golden"))) {
      Files.createDirectories(FILE.getParent());
      Files.writeString(FILE, text, UTF_8);
    }
    assertThat(text).isEqualTo(Files.readString(FILE, UTF_8));
    assertThat(decided(small)).isNotEmpty().isEqualTo(printed());
  }

  private static int inputs(History history) {
    return history.steps().stream().mapToInt(step -> step.inputs().size()).sum();
  }

  /// The core's decisions in the history, as the simulation prints them.
  private static List<String> decided(History history) {
    List<String> lines = new ArrayList<>();
    List<Step> first = new ArrayList<>();
    Player.play(
        history,
        (step, decision, core) -> {
          first.add(step);
          String at = Duration.between(first.getFirst().at(), step.at()).toSeconds() + "s ";
          for (Effect effect : decision.effects()) {
            if (effect instanceof Effect.StartAttempt(var attempt)) {
              lines.add(at + "start j" + attempt.id().job().value());
            } else if (isPreemption(effect)) {
              lines.add(at + "preempt j" + ((Effect.StopAttempt) effect).attempt().job().value());
            }
          }
        });
    return lines;
  }

  private static List<String> printed() throws IOException {
    Pattern line =
        Pattern.compile("\\{\"at\":\"(\\w+)\",\"event\":\"(start|preempt)\",\"job\":\"(j\\d+)\".*");
    List<String> lines = new ArrayList<>();
    for (String printed : Files.readAllLines(FILE.resolveSibling("two-victims.jsonl"), UTF_8)) {
      Matcher matcher = line.matcher(printed);
      if (matcher.matches()) {
        lines.add(matcher.group(1) + " " + matcher.group(2) + " " + matcher.group(3));
      }
    }
    return lines;
  }

  @Test
  void leavesAloneWhatDoesNotFail() {
    History history =
        History.of(SchedulerCore.DEFAULT_PLACEMENT, Scenarios.record(1, input -> input));
    assertThat(Shrinker.shrink(history, any -> Optional.empty())).isEqualTo(history);
  }

  /// The property that fails is named, and not one that a smaller history breaks besides.
  @Test
  void keepsToTheSameProperty() {
    Shrinker.Oracle two =
        history -> {
          int jobs = 0;
          for (Step step : history.steps()) {
            for (Input input : step.inputs()) {
              jobs += input instanceof Input.JobSubmitted ? 1 : 0;
            }
          }
          return Optional.of(jobs >= 3 ? "three" : "fewer");
        };
    History history =
        History.of(SchedulerCore.DEFAULT_PLACEMENT, Scenarios.record(10, input -> input));
    History small = Shrinker.shrink(history, two);
    assertThat(two.apply(small)).isEqualTo(two.apply(history));
    assertThat(inputs(small)).isEqualTo(3);
  }
}
