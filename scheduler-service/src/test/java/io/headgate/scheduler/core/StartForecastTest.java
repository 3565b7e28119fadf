package io.headgate.scheduler.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.scheduler.core.explain.Forecast;
import io.headgate.scheduler.core.explain.Forecast.Basis;
import io.headgate.scheduler.core.explain.Forecast.Cause;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/// When a waiting job starts, by looking ahead.
class StartForecastTest {
  private static final Duration HOUR = Duration.ofHours(1);

  private static TenantBuilder tenant() {
    return new TenantBuilder()
        .pool("pool")
        .profile("one", "1", "pool")
        .profile("two", "2", "pool")
        .policy("rnd", "0", "2")
        .policy("ops", "2", "4")
        .queue("rnd-one", "rnd", "one", 1)
        .queue("ops-one", "ops", "one", 1)
        .queue("ops-two", "ops", "two", 1);
  }

  private static Driver with(int gpus) {
    return new Driver(tenant()).join(Driver.node("n", "pool", gpus));
  }

  private static Optional<Forecast> forecast(Driver it, String job) {
    return it.core.forecast(it.id(job), it.now).get();
  }

  private static Instant by(Driver it, String job) {
    return ((Forecast.Expected) forecast(it, job).orElseThrow()).start();
  }

  private static Cause unknown(Driver it, String job) {
    return ((Forecast.Unknown) forecast(it, job).orElseThrow()).cause();
  }

  @Test
  void itsTurnComesWhenThoseBeforeItHaveEnded() {
    Driver it = with(1);
    it.submit(it.timed("a", "ops-one", HOUR)).settle();
    Instant start = it.now;
    it.after(Duration.ofMinutes(10));
    it.submit(it.timed("b", "ops-one", HOUR.multipliedBy(2)), it.spec("c", "ops-one"));
    assertThat(by(it, "b")).isEqualTo(start.plus(HOUR));
    Instant by = start.plus(HOUR.multipliedBy(3));
    assertThat(forecast(it, "c"))
        .contains(new Forecast.Expected(by, Optional.of(by), 2, Basis.DECLARED));
  }

  @Test
  void theLimitOfItsPolicyIsMinded() {
    Driver it = with(8);
    it.submit(it.timed("a", "rnd-one", HOUR), it.timed("b", "rnd-one", HOUR.multipliedBy(2)));
    it.submit("rnd-one", "c").settle();
    assertThat(it.reason("c").code()).isEqualTo("LIMIT");
    assertThat(by(it, "c")).isEqualTo(it.now.plus(HOUR));
  }

  @Test
  void whatItWillTakeFromOthersIsForeseen() {
    // e0 ends in an hour; e1 is entitled then, and r is not.
    Driver it = with(2);
    it.submit(it.timed("e0", "ops-two", HOUR)).settle();
    it.submit(it.timed("e1", "ops-two", HOUR)).submit("rnd-one", "r").settle();
    assertThat(by(it, "e1")).isEqualTo(it.now.plus(HOUR));
    assertThat(by(it, "r")).isEqualTo(it.now.plus(HOUR.multipliedBy(2)));
  }

  @Test
  void oneRunForeseesTheStartsOfAllJobsThatWait() {
    Driver it = with(1);
    it.submit(it.timed("a", "ops-one", HOUR)).settle();
    it.submit(
        it.timed("b", "ops-one", HOUR),
        it.timed("c", "ops-one", HOUR.multipliedBy(2)),
        it.spec("d", "ops-one"),
        it.spec("e", "ops-one"));
    assertThat(
            it.core
                .forecasts(
                    Set.of(it.id("b"), it.id("c"), it.id("d"), it.id("e"), it.id("a")), it.now)
                .get())
        .containsOnly(
            Map.entry(it.id("b"), it.now.plus(HOUR)),
            Map.entry(it.id("c"), it.now.plus(HOUR.multipliedBy(2))),
            Map.entry(it.id("d"), it.now.plus(HOUR.multipliedBy(4))));
    for (String job : List.of("b", "c", "d")) {
      assertThat(it.core.forecasts(Set.of(it.id(job)), it.now).get())
          .containsEntry(it.id(job), by(it, job));
    }
  }

  @Test
  void changesNothing() {
    Driver it = with(1);
    it.submit(it.timed("a", "ops-one", HOUR), it.spec("b", "ops-one")).settle();
    SchedulerState before = it.core.state();
    assertThat(by(it, "b")).isEqualTo(it.now.plus(HOUR));
    assertThat(it.core.state()).isEqualTo(before);
  }

  @Test
  void isUnknownWithoutDeclaredRunTimes() {
    Driver it = with(1);
    it.submit("ops-one", "a", "b").settle();
    assertThat(unknown(it, "b")).isEqualTo(Cause.OPEN_ENDED);
  }

  /// Ten runs of an hour ended, and one of two hours. One has run for half an hour.
  @Test
  void earlierRunsTellWhereNoneIsDeclared() {
    Driver it = with(1);
    for (int i = 0; i < 11; i++) {
      it.submit("ops-one", "run" + i).settle();
      it.after(i < 10 ? HOUR : HOUR.multipliedBy(2)).exit("run" + i, 0);
    }
    it.submit("ops-one", "a", "b").settle().after(HOUR.dividedBy(2)).pass();
    Forecast.Expected found = (Forecast.Expected) forecast(it, "b").orElseThrow();
    assertThat(found.basis()).isEqualTo(Basis.OBSERVED);
    assertThat(Duration.between(it.now, found.start()))
        .isBetween(Duration.ofMinutes(27), Duration.ofMinutes(33));
    assertThat(Duration.between(it.now, found.by().orElseThrow()))
        .isBetween(Duration.ofMinutes(90), Duration.ofMinutes(105));
  }

  @Test
  void jobsThatAreNotInTheWayNeedNoDeclaredRunTime() {
    Driver it = with(2);
    it.submit(it.spec("open", "ops-one"), it.timed("a", "ops-one", HOUR));
    it.submit(it.spec("b", "ops-one")).settle();
    assertThat(by(it, "b")).isEqualTo(it.now.plus(HOUR));
  }

  @Test
  void saysWhatElseStandsInTheWay() {
    Driver it = with(1);
    it.submit(it.timed("a", "ops-one", HOUR), it.spec("b", "ops-one")).settle();
    it.provision(tenant().closed("ops-one"));
    assertThat(unknown(it, "b")).isEqualTo(Cause.QUEUE_CLOSED);
    it.provision(tenant().policy("ops", "0", "1/2"));
    assertThat(unknown(it, "b")).isEqualTo(Cause.NEVER_FITS);
    assertThat(forecast(it, "a")).isEmpty();
  }

  @Test
  void withoutMachinesNothingEnds() {
    Driver it = new Driver(tenant());
    it.submit("ops-one", "a");
    assertThat(unknown(it, "a")).isEqualTo(Cause.NOTHING_ENDS);
  }

  @Test
  void looksAheadNoFurtherThanItsBound() {
    Driver it = with(1);
    for (int i = 0; i < StartForecast.MAX_PASSES + 10; i++) {
      it.submit(it.timed("j" + i, "ops-one", HOUR));
    }
    it.settle();
    assertThat(unknown(it, "j" + (StartForecast.MAX_PASSES + 9))).isEqualTo(Cause.TOO_FAR);
    assertThat(by(it, "j400")).isEqualTo(it.now.plus(HOUR.multipliedBy(400)));
  }

  @Test
  void comesTrue() {
    Driver it = with(4);
    it.submit(it.timed("a", "ops-two", HOUR), it.timed("b", "rnd-one", HOUR.multipliedBy(3)));
    it.submit(it.timed("c", "rnd-one", HOUR.dividedBy(2)), it.timed("d", "ops-two", HOUR)).settle();
    it.submit(it.spec("e", "rnd-one")).settle();
    Instant expected = by(it, "e");
    it.now = it.now.plus(HOUR.dividedBy(2));
    it.exit("c", 0).settle();
    if (it.core.attempt(it.id("e")).isEmpty()) {
      it.now = it.now.plus(HOUR.dividedBy(2));
      it.exit("a", 0).settle();
    }
    assertThat(it.core.attempt(it.id("e")).orElseThrow().assignedAt()).isEqualTo(expected);
  }
}
