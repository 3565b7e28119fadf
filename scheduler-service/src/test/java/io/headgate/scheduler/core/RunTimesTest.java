package io.headgate.scheduler.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.scheduler.core.job.HoldPause;
import io.headgate.scheduler.core.job.RunTimes;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/// Expectations of running attempts from ended ones (O7).
class RunTimesTest {
  private static final Duration MINUTE = Duration.ofMinutes(1);

  private static RunTimes of(int... minutes) {
    RunTimes runs = new RunTimes();
    for (int each : minutes) {
      runs.add(MINUTE.multipliedBy(each));
    }
    return runs;
  }

  private static void isAbout(Optional<Duration> found, Duration expected) {
    assertThat(found.orElseThrow().toMillis() / (double) expected.toMillis()).isBetween(0.9, 1.1);
  }

  @Test
  void theMedianIsThatOfTheLongerRuns() {
    RunTimes runs = of(1, 2, 10, 20, 40);
    isAbout(runs.median(Duration.ZERO), MINUTE.multipliedBy(10));
    isAbout(runs.median(MINUTE.multipliedBy(5)), MINUTE.multipliedBy(20));
    isAbout(runs.median(MINUTE.multipliedBy(30)), MINUTE.multipliedBy(40));
    assertThat(runs.median(MINUTE.multipliedBy(60))).isEmpty();
  }

  @Test
  void theHighOneCoversNearlyAllRuns() {
    RunTimes runs = new RunTimes();
    for (int i = 1; i <= 100; i++) {
      runs.add(MINUTE.multipliedBy(i));
    }
    assertThat(runs.high(Duration.ZERO).orElseThrow())
        .isBetween(MINUTE.multipliedBy(95), MINUTE.multipliedBy(105));
  }

  @Test
  void fiveRunsAreEnough() {
    assertThat(of(1, 1, 1, 1).areEnough()).isFalse();
    assertThat(of(1, 1, 1, 1, 1).areEnough()).isTrue();
  }

  /// Whatever has run is expected to run on, and a step says when to look again.
  @Test
  void anExpectedEndIsAlwaysAhead() {
    long seed = 26;
    SplittableRandom random = new SplittableRandom(seed);
    RunTimes runs = new RunTimes();
    for (int i = 0; i < 1000; i++) {
      runs.add(Duration.ofMillis(random.nextLong(1L << random.nextInt(1, 36))));
    }
    for (int i = 0; i < 100_000; i++) {
      Duration elapsed = Duration.ofMillis(random.nextLong(1L << random.nextInt(1, 40)));
      Optional<Duration> median = runs.median(elapsed);
      if (median.isPresent()) {
        assertThat(median.get()).as("seed %s, elapsed %s", seed, elapsed).isGreaterThan(elapsed);
        Duration step = runs.sameUntil(elapsed);
        assertThat(step).isGreaterThan(elapsed);
        assertThat(runs.median(step.minusMillis(1))).isEqualTo(median);
      }
    }
  }

  /// Half of the longer runs are not longer than their median; fewer are shorter.
  @Test
  void theMedianStaysRightAsRunsAreAdded() {
    long seed = 27;
    SplittableRandom random = new SplittableRandom(seed);
    RunTimes runs = new RunTimes();
    List<Duration> all = new ArrayList<>();
    for (int i = 0; i < 300; i++) {
      long before = runs.changes();
      Optional<Duration> ofAll = runs.median(Duration.ZERO);
      Duration run = Duration.ofMillis(random.nextLong(1L << random.nextInt(10, 30)));
      runs.add(run);
      all.add(run);
      assertThat(runs.changes() > before || runs.median(Duration.ZERO).equals(ofAll)).isTrue();
      Duration median = runs.median(Duration.ZERO).orElseThrow();
      double error = 0.1;
      assertThat(all.stream().filter(each -> isWithin(each, median, 1 + error)).count())
          .as("seed %s, %s runs", seed, all.size())
          .isGreaterThanOrEqualTo((all.size() + 1) / 2);
      assertThat(all.stream().filter(each -> isWithin(each, median, 1 - error)).count())
          .as("seed %s, %s runs", seed, all.size())
          .isLessThan((all.size() + 1) / 2 + 1);
    }
  }

  private static boolean isWithin(Duration run, Duration median, double part) {
    return run.toMillis() < part * median.toMillis();
  }

  @Test
  void oldRunsFadeButNoneIsForgotten() {
    RunTimes runs = of(600);
    for (int i = 0; i < 3 * RunTimes.MOST_RUNS; i++) {
      runs.add(MINUTE);
    }
    assertThat(runs.state().values().stream().mapToInt(Integer::intValue).sum())
        .isLessThan(RunTimes.MOST_RUNS);
    isAbout(runs.median(MINUTE.multipliedBy(2)), MINUTE.multipliedBy(600));
  }

  @Test
  void areGivenBackAfterARestart() {
    RunTimes runs = of(1, 7, 7, 90);
    RunTimes loaded = new RunTimes();
    loaded.load(runs.state());
    assertThat(loaded.state()).isEqualTo(runs.state());
    assertThat(loaded.median(MINUTE)).isEqualTo(runs.median(MINUTE));
  }

  @Test
  void aPauseDoublesUpToEightTimes() {
    Instant now = Instant.parse("2026-01-01T10:00:00Z");
    Optional<HoldPause> pause = Optional.empty();
    for (int times : new int[] {1, 2, 4, 8, 8}) {
      pause = Optional.of(HoldPause.after(pause, MINUTE, now));
      assertThat(pause.get().until()).isEqualTo(now.plus(MINUTE.multipliedBy(times)));
    }
  }
}
