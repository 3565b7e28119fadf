package io.headgate.scheduler.runtime.leadership;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import io.headgate.kit.testing.JavaProcess;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
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
  private static final int SCENARIOS = 2000;

  private static final int SAME = 6;

  private static final Logger LOG = (Logger) LoggerFactory.getLogger("io.headgate");
  private static Level before = Level.INFO;

  private final Map<Fault, Integer> faults = new EnumMap<>(Fault.class);
  private int startedBesideAwaited;
  private int resumed;
  private int forbidden;
  private int spans;
  private int killedWriters;

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
      assertThat(faults.keySet()).as("what befell them").containsExactly(Fault.values());
      assertThat(forbidden).as("drafts because of vaults").isPositive();
      assertThat(spans).as("spans of jobs").isGreaterThan(SCENARIOS);
      assertThat(killedWriters).as("writers of spans that died").isGreaterThan(SCENARIOS);
    }
  }

  /// Also in another JVM, in which sets and maps have another order.
  @Test
  void happensInTheSameWayEveryTime() {
    String here = traces(SAME);
    JavaProcess.Ended there =
        JavaProcess.run(ShellSimulationTest.class, List.of("" + SAME), Map.of());
    assertThat(there.said()).isEqualTo(here);
  }

  /// Prints how the first seeds go.
  public static void main(String[] arguments) {
    beQuiet();
    System.out.print(traces(Integer.parseInt(arguments[0])));
  }

  private static String traces(int seeds) {
    StringBuilder traces = new StringBuilder();
    for (int seed = 1; seed <= seeds; seed++) {
      World world = new World(seed, true);
      new Scenario(world).play();
      traces.append(
          "%d: %d events, %08x%n".formatted(seed, world.count(), world.trace().hashCode()));
    }
    return traces.toString();
  }

  @Test
  void losesNothingInHalfAnHourWithoutSchedulers() {
    int endedMeanwhile = 0;
    int wentOn = 0;
    for (long seed = 1; seed <= 5; seed++) {
      Scenario.Outage outage = Scenario.ofOutage(new World(seed, false)).playOutage();
      endedMeanwhile += outage.endedMeanwhile();
      wentOn += outage.wentOn();
    }
    assertThat(endedMeanwhile).isPositive();
    assertThat(wentOn).isPositive();
  }

  /// Only the row of leadership keeps out a deposed leader that does not know it yet.
  @Test
  void findsAStoreThatTakesBatchesOfAnyEpoch() {
    // From the first that does, so that it is found soon.
    assertThat(LongStream.rangeClosed(104, 400).anyMatch(this::failsWithoutFence)).isTrue();
  }

  private boolean failsWithoutFence(long seed) {
    try {
      new Scenario(new World(seed, false)).withoutFence().play();
      return false;
    } catch (AssertionError e) {
      return true;
    }
  }

  private void play(World world) {
    Scenario scenario = new Scenario(world);
    scenario.play();
    world.faults().forEach((fault, times) -> faults.merge(fault, times, Integer::sum));
    startedBesideAwaited += scenario.auditor().startedBesideAwaited();
    resumed += scenario.auditor().resumed();
    forbidden += scenario.auditor().forbidden();
    spans += scenario.traces().spans();
    killedWriters += scenario.traces().kills();
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
