package io.headgate.scheduler.core.property;

import static io.headgate.scheduler.core.property.Violation.require;

import io.headgate.scheduler.core.Effect;
import io.headgate.scheduler.core.property.Renaming.Kind;
import io.headgate.scheduler.core.property.Scenarios.Step;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/// No name decides anything: a made-up history in which everything has other names is decided
/// alike. The seed of a failing history chooses its names, too.
class RenamingTest {
  private static final int SCENARIOS = 2_000;

  @Test
  void namesDecideNothing() {
    compareAll(EnumSet.complementOf(EnumSet.of(Kind.NODE)));
  }

  private static void compareAll(Set<Kind> kinds) {
    Scenarios.compare(
        RenamingTest.class,
        SCENARIOS,
        UnaryOperator.identity(),
        (seed, steps, decided) -> {
          List<List<Effect>> others = inOtherNames(seed, kinds, steps);
          for (int step = 0; step < steps.size(); step++) {
            requireSame(step, decided.get(step), others.get(step));
          }
        });
  }

  /// Names of nodes break exact ties between places. From then on the histories differ, so they are
  /// compared up to the first decision that has such a tie. The same jobs start and stop in it. The
  /// reasons of others may differ, because they depend on the places.
  @Test
  void namesOfNodesDecideBetweenEqualPlacesOnly() {
    Scenarios.compare(
        RenamingTest.class,
        SCENARIOS,
        UnaryOperator.identity(),
        (seed, steps, decided) -> {
          List<List<Effect>> others = inOtherNames(seed, EnumSet.allOf(Kind.class), steps);
          int step = 0;
          while (step < steps.size()
              && Set.copyOf(decided.get(step)).equals(Set.copyOf(others.get(step)))) {
            step++;
          }
          if (step < steps.size()) {
            requireSameButPlaces(step, decided.get(step), others.get(step));
          }
        });
  }

  /// Decides the history in other names.
  ///
  /// @return the effects, in the original names
  private static List<List<Effect>> inOtherNames(long seed, Set<Kind> kinds, List<Step> steps) {
    Renaming renaming = new Renaming(Scenarios.random(seed), kinds);
    List<Step> renamed =
        steps.stream().map(step -> new Step(step.at(), renaming.renamed(step.inputs()))).toList();
    return renaming.original(Scenarios.run(renamed));
  }

  /// The order of effects within a decision is not compared: starts carry theirs as a number.
  private static <T> void requireSame(int step, List<T> effects, List<T> others) {
    Set<T> lost = new LinkedHashSet<>(effects);
    Set<T> added = new LinkedHashSet<>(others);
    lost.removeAll(others);
    added.removeAll(effects);
    require(
        lost.isEmpty() && added.isEmpty() && effects.size() == others.size(),
        "names decide nothing",
        "step " + step,
        lost,
        added);
  }

  private static void requireSameButPlaces(int step, List<Effect> effects, List<Effect> others) {
    requireSame(step, ofJobs(effects), ofJobs(others));
  }

  private static List<String> ofJobs(List<Effect> effects) {
    List<String> changes = new ArrayList<>();
    for (Effect effect : effects) {
      if (effect instanceof Effect.JobChanged(var job, var from, var event)) {
        changes.add("job " + job.id() + " " + from + " " + job.state() + " " + event);
      }
    }
    return changes;
  }
}
