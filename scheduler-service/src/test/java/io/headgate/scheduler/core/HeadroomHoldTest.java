package io.headgate.scheduler.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.scheduler.core.explain.Check;
import io.headgate.scheduler.core.explain.Reason;
import io.headgate.scheduler.core.job.HeadroomHold;
import io.headgate.scheduler.core.job.HeadroomScope;
import io.headgate.scheduler.core.job.HeadroomScope.Bound;
import io.headgate.scheduler.core.job.HoldPause;
import io.headgate.scheduler.core.job.JobState;
import io.headgate.scheduler.runtime.text.CheckText;
import io.headgate.scheduler.runtime.text.ReasonText;
import io.headgate.type.GpuQuantity;
import io.headgate.type.Viewer;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/// O7: a job that a limit has blocked for long enough holds headroom.
class HeadroomHoldTest {
  private static final Duration HOUR = Duration.ofHours(1);
  private static final Instant TEN = Instant.parse("2026-01-01T10:00:00Z");

  private static TenantBuilder tenant() {
    return new TenantBuilder()
        .pool("pool")
        .profile("four", "4", "pool")
        .profile("one", "1", "pool")
        .policy("dev", "0", "4")
        .queue("l", "dev", "four", 1)
        .queue("s", "dev", "one", 1);
  }

  /// At ten, four jobs of an hour fill the limit of 4, and a job that needs all of it waits.
  private static Driver blocked() {
    Driver it = new Driver(tenant()).join(Driver.node("n", "pool", 9));
    for (String name : List.of("a", "b", "c", "d")) {
      it.submit(it.timed(name, "s", HOUR));
    }
    return it.run().submit("l", "big").forget();
  }

  private static Optional<HeadroomHold> headroom(Driver it) {
    return it.core.job(it.id("big")).orElseThrow().headroom();
  }

  private static Duration minutes(int number) {
    return Duration.ofMinutes(number);
  }

  @Test
  void wakesToHoldWhenItIsOldEnough() {
    Driver it = blocked();
    assertThat(it.wakeAt).contains(TEN.plus(minutes(10)));
    it.after(minutes(10)).pass();
    HeadroomHold hold =
        new HeadroomHold(
            List.of(HeadroomScope.ofPolicy(Bound.LIMIT)),
            Optional.of(TEN.plus(HOUR)),
            Optional.empty());
    assertThat(it.effects)
        .containsExactly(new Effect.HeadroomHoldChanged(it.id("big"), Optional.of(hold)));
    assertThat(it.wakeAt).contains(TEN.plus(HOUR));
  }

  @Test
  void thoseThatWaitForItSayWhoHoldsWhereAndUntilWhen() {
    Driver it = blocked().after(minutes(10)).exit("a", 0).submit("s", "e");
    Reason.Limit limit =
        new Reason.Limit(
            TenantBuilder.policyId("dev"),
            GpuQuantity.ofGpus(3),
            GpuQuantity.ofGpus(1),
            GpuQuantity.ofGpus(4));
    Reason reason = it.reason("e");
    assertThat(reason)
        .isEqualTo(
            new Reason.HeldInLimit(
                limit, GpuQuantity.ofGpus(4), it.id("big"), Optional.of(TEN.plus(HOUR))));
    assertThat(ReasonText.sentence(reason))
        .isEqualTo(
            "dev uses 3 of its limit 4, it needs 1, and another job holds headroom of 4 there"
                + " until 2026-01-01T11:00:00Z");
    assertThat(explained(it, "e"))
        .contains(
            "O7 NO another job holds headroom of 4 in the limit of dev; it is expected to start by"
                + " 2026-01-01T11:00:00Z");
  }

  @Test
  void theHolderWaitsForTheLimitAndSaysWhatItHolds() {
    Driver it = blocked().after(minutes(10)).pass();
    assertThat(it.reason("big")).isInstanceOf(Reason.Limit.class);
    assertThat(explained(it, "big"))
        .startsWith(
            "O7 OK holds headroom of 4 in the limit of dev; it is expected to start by"
                + " 2026-01-01T11:00:00Z")
        .anyMatch(check -> check.startsWith("A2 NO"));
  }

  private static List<String> explained(Driver it, String job) {
    List<String> lines = new ArrayList<>();
    for (Check check : it.core.explain(it.id(job)).orElseThrow().starts()) {
      lines.add(check.rule() + " " + check.verdict() + " " + CheckText.of(check, Viewer.OF_ALL));
    }
    return lines;
  }

  @Test
  void restsAndIsTakenOver() {
    Driver it = blocked().after(minutes(10)).exit("a", 0).submit("s", "e").forget();
    for (int i = 0; i < 5; i++) {
      it.pass();
      it.core = it.core.copy();
    }
    assertThat(it.effects).isEmpty();
    it.exit("b", 0).exit("c", 0).exit("d", 0);
    assertThat(it.state("big")).isEqualTo(JobState.ASSIGNED);
    assertThat(it.state("e")).isEqualTo(JobState.WAITING);
  }

  /// The limit has room again before the new leader decides anything.
  @Test
  void aNewLeaderKeepsHeadroomThatIsFreeAlready() {
    Driver it = new Driver(tenant().policy("dev", "1", "4")).join(Driver.node("n", "pool", 9));
    for (String name : List.of("a", "b", "c", "d")) {
      it.submit(it.timed(name, "s", HOUR));
    }
    it.run().submit("l", "big").after(minutes(10)).submit("s", "e");
    it.exit("a", 0).exit("b", 0).exit("c", 0);
    it.core = it.core.copy();
    it.exit("d", 0);
    assertThat(it.state("big")).isEqualTo(JobState.ASSIGNED);
  }

  @Test
  void itsExpectedStartFollowsTheJobsThatEndEarlier() {
    Driver it = new Driver(tenant()).join(Driver.node("n", "pool", 9));
    it.submit(it.timed("a", "s", HOUR.multipliedBy(2)), it.timed("b", "s", HOUR)).run();
    it.submit("l", "big").after(minutes(10)).pass();
    assertThat(headroom(it).flatMap(HeadroomHold::expectedStart)).contains(TEN.plusSeconds(7200));
    it.exit("a", 0);
    assertThat(headroom(it).flatMap(HeadroomHold::expectedStart)).contains(TEN.plusSeconds(3600));
  }

  /// "open" came just before and declares no run time.
  private static Driver unknown() {
    Driver it = new Driver(tenant()).join(Driver.node("n", "pool", 9));
    it.submit(it.timed("a", "s", HOUR)).submit("l", "big").run();
    return it.after(minutes(8)).submit("s", "open").after(minutes(2)).pass();
  }

  @Test
  void ofUnknownStartItLastsForHoldAfter() {
    Driver it = unknown();
    assertThat(headroom(it).flatMap(HeadroomHold::until)).contains(it.now.plus(minutes(10)));
    it.submit(it.timed("short", "s", minutes(10))).submit(it.timed("long", "s", minutes(11)));
    assertThat(it.state("short")).isEqualTo(JobState.ASSIGNED);
    assertThat(it.state("long")).isEqualTo(JobState.WAITING);
  }

  @Test
  void itEndsAsSoonAsTheJobInTheWayIsEndless() {
    Driver it = unknown().submit("s", "e");
    assertThat(it.state("e")).isEqualTo(JobState.WAITING);
    assertThat(it.wakeAt).contains(it.now.plus(minutes(8)));
    it.after(minutes(8)).pass();
    assertThat(headroom(it)).isEmpty();
    assertThat(it.state("e")).isEqualTo(JobState.ASSIGNED);
  }

  /// "open" runs only after nine minutes, so it is no endless job when the hold ends.
  @Test
  void aPauseFollowsThatOthersUse() {
    Driver it = unknown().submit("s", "e").after(minutes(9)).run().after(minutes(1)).pass();
    assertThat(headroom(it)).isEmpty();
    assertThat(it.core.job(it.id("big")).orElseThrow().holdPause())
        .contains(new HoldPause(1, it.now.plus(minutes(10))));
    assertThat(it.state("e")).isEqualTo(JobState.ASSIGNED);
    it.forget();
    it.core = it.core.copy();
    it.pass();
    assertThat(it.effects).isEmpty();
  }

  @Test
  void thePauseEndsWhenAnExpectedStartIsKnown() {
    Driver it = unknown().after(minutes(9)).run().after(minutes(1)).pass();
    it.exit("open", 0);
    assertThat(headroom(it).flatMap(HeadroomHold::expectedStart)).isPresent();
    assertThat(it.core.job(it.id("big")).orElseThrow().holdPause()).isEmpty();
  }

  /// Two jobs of ten minutes come every five minutes and fill the limit, although they are first by
  /// O1: the policy reserves 1. The large job came with the first ones.
  @Test
  void aStreamOfSmallJobsDoesNotStarveALargeOne() {
    Driver it = new Driver(tenant().policy("dev", "1", "4")).join(Driver.node("n", "pool", 9));
    for (int step = 0; step < 6; step++) {
      endThoseThatRanFor(minutes(10), it);
      String name = "s" + step;
      it.submit(it.timed(name + "a", "s", minutes(10)), it.timed(name + "b", "s", minutes(10)));
      if (step == 1) {
        it.submit("l", "big");
      }
      it.run().after(minutes(5));
    }
    // It came after five minutes, holdAfter is ten, and a small job lasts ten.
    assertThat(it.attempt("big").startedAt().orElseThrow())
        .isBeforeOrEqualTo(TEN.plus(minutes(25)));
  }

  private static void endThoseThatRanFor(Duration time, Driver it) {
    for (String name : it.in(JobState.RUNNING)) {
      if (!it.attempt(name).startedAt().orElseThrow().plus(time).isAfter(it.now)) {
        it.exit(name, 0);
      }
    }
  }
}
