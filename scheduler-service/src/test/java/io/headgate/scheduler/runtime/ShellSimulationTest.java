package io.headgate.scheduler.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/// The real shell of several schedulers and the real agents of several machines, on virtual time
/// and one thread, through whatever a seed brings upon them.
///
/// `-Dheadgate.scenarios=N` runs more or fewer seeds, `-Dheadgate.first=N` begins with that one,
/// `-Dheadgate.seed=N` runs that one alone and prints what happens in it.
@Order(1) // It takes longest.
final class ShellSimulationTest {
  private static final int SCENARIOS = 1500;

  private static final Logger LOG = (Logger) LoggerFactory.getLogger("io.headgate");
  private static Level before = Level.INFO;

  private int startedBesideAwaited;
  private int resumed;

  @BeforeAll
  static void beQuiet() {
    before = LOG.getLevel();
    // Everything that can go wrong does, thousands of times.
    LOG.setLevel(Level.OFF);
  }

  @AfterAll
  static void speakAgain() {
    LOG.setLevel(before);
  }

  @Test
  void nothingIsLostOrRunsTwiceWhateverHappens() {
    Long only = Long.getLong("headgate.seed");
    long first = only != null ? only : Long.getLong("headgate.first", 1);
    long last = only != null ? only : first - 1 + Long.getLong("headgate.scenarios", SCENARIOS);
    for (long seed = first; seed <= last; seed++) {
      try {
        play(new World(seed, false));
      } catch (AssertionError | RuntimeException e) {
        throw new AssertionError(
            "%s%n%s%nAgain: mvn test -pl scheduler-service -am -Dtest=ShellSimulationTest"
                    .formatted(e.getMessage(), traceOf(seed))
                + " -Dsurefire.failIfNoSpecifiedTests=false -Dheadgate.seed="
                + seed,
            e);
      }
    }
    if (last - first >= SCENARIOS - 1) {
      assertThat(startedBesideAwaited)
          .as("starts while a new leader waited for other nodes")
          .isPositive();
      assertThat(resumed).as("jobs that went on after they were suspended").isPositive();
    }
  }

  @Test
  void happensInTheSameWayEveryTime() {
    for (long seed = 1; seed <= 20; seed++) {
      World once = new World(seed, true);
      World again = new World(seed, true);
      play(once);
      play(again);
      assertThat(once.trace()).isEqualTo(again.trace());
    }
  }

  private void play(World world) {
    Scenario scenario = new Scenario(world);
    scenario.play();
    startedBesideAwaited += scenario.auditor().startedBesideAwaited();
    resumed += scenario.auditor().resumed();
  }

  private static String traceOf(long seed) {
    World world = new World(seed, true);
    try {
      new Scenario(world).play();
      return "the trace could not be had: the seed does not fail a second time";
    } catch (AssertionError | RuntimeException _) {
      return world.trace();
    }
  }
}
