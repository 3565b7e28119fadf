package io.headgate.scheduler.runtime.leadership;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.scheduler.runtime.leadership.ElectionRule.Grounds;
import io.headgate.scheduler.runtime.leadership.ElectionRule.Move;
import io.headgate.scheduler.runtime.leadership.ElectionRule.Sight;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Renewals come every second, so one was missed after two; the lease is 10 s.
final class ElectionRuleTest {
  private static final Duration RENEWAL = Duration.ofSeconds(1);
  private static final Optional<String> A = Optional.of("a");
  private static final Move.Try RUN_OUT = new Move.Try(Grounds.LEASE_OVER);
  private static final Move.Try LOST = new Move.Try(Grounds.LEFT_GROUP);

  record Case(String name, Sight given, Move expected) {
    @Override
    public String toString() {
      return name;
    }
  }

  static Stream<Case> cases() {
    return Stream.of(
        new Case(
            "nobody ever led",
            sight("b", Optional.empty(), 0, 0, Group.UNKNOWN), //
            RUN_OUT),
        new Case(
            "the lease has run out, and nobody watches",
            sight("b", A, 0, 10_000, Group.UNKNOWN),
            RUN_OUT),
        new Case(
            "the lease has run out, though the holder is there",
            sight("b", A, 0, 10_000, there("a", "b", "c")),
            RUN_OUT),
        new Case(
            "the oldest candidate is let pass",
            sight("c", A, 0, 10_000, there("a", "b", "c")),
            waiting(200)),
        new Case(
            "but not for ever",
            sight("c", A, -200, 10_200, there("a", "b", "c")), //
            RUN_OUT),
        new Case(
            "who is not in the group yet waits for nobody",
            sight("d", A, 0, 10_000, there("a", "b", "c")),
            RUN_OUT),
        new Case(
            "the holder is there and silent: slow is not dead",
            sight("b", A, 3_000, 7_000, there("a", "b")),
            waiting(3_000)),
        new Case(
            "nobody watches: the lease alone counts",
            sight("b", A, 3_000, 7_000, Group.UNKNOWN),
            waiting(3_000)),
        new Case(
            "the holder left and missed a renewal",
            sight("b", A, 8_000, 2_000, gone("a", 1_500, "b", "c")),
            LOST),
        new Case(
            "the second candidate lets the first pass then, too",
            sight("c", A, 8_000, 2_000, gone("a", 1_500, "b", "c")),
            waiting(200)),
        new Case(
            "the holder left and is not silent for long enough",
            sight("b", A, 9_500, 500, gone("a", 400, "b", "c")),
            waiting(1_500)),
        new Case(
            "its last commit may come a moment after it left",
            sight("b", A, 8_000, 2_000, gone("a", 2_900, "b")),
            LOST),
        new Case(
            "the holder renewed after it left: the group broke, not the holder",
            sight("b", A, 7_900, 2_100, gone("a", 3_200, "b")),
            waiting(7_900)),
        new Case(
            "another than the holder left",
            sight("b", A, 5_000, 5_000, gone("c", 4_000, "a", "b")),
            waiting(5_000)),
        new Case(
            "its own lease from before it was started again",
            sight("a", A, 4_000, 6_000, there("b", "a")),
            waiting(4_000)),
        new Case(
            "no group yet, and nobody listens where the holder was",
            refused(sight("b", A, 8_000, 2_000, Group.UNKNOWN)),
            new Move.Try(Grounds.REFUSES)),
        new Case(
            "the group was formed without the holder",
            refused(sight("b", A, 8_000, 2_000, there("b", "c"))),
            new Move.Try(Grounds.REFUSES)),
        new Case(
            "nobody listens at its address, but it is there",
            refused(sight("b", A, 8_000, 2_000, there("a", "b"))),
            waiting(8_000)),
        new Case(
            "nobody listens, but it renews",
            refused(sight("b", A, 9_000, 1_000, Group.UNKNOWN)),
            waiting(1_000)),
        new Case(
            "it is looked whether it listens when a renewal is missed",
            sight("b", A, 9_000, 1_000, Group.UNKNOWN),
            waiting(1_000)));
  }

  @ParameterizedTest
  @MethodSource("cases")
  void triesWhenItShould(Case each) {
    assertThat(ElectionRule.decide(each.given(), RENEWAL)).isEqualTo(each.expected());
  }

  /// Whole, split in two with the holder on either side, a bridge that sees both sides, seen in one
  /// direction only, not seen at all: the row says that the holder is alive.
  @Test
  void neverTriesWhileTheHolderRenewsHoweverTheGroupFellApart() {
    List<List<String>> views =
        List.of(
            List.of(),
            List.of("b"),
            List.of("c"),
            List.of("a", "b"),
            List.of("b", "c"),
            List.of("a", "b", "c"),
            List.of("c", "b", "a"));
    for (List<String> present : views) {
      for (List<String> left : views) {
        Map<String, Duration> goneFor =
            left.stream().collect(Collectors.toMap(name -> name, _ -> Duration.ofSeconds(7)));
        Sight sight = sight("b", A, 8_001, 1_999, new Group(present, goneFor));
        assertThat(ElectionRule.decide(sight, RENEWAL)).isInstanceOf(Move.Wait.class);
        assertThat(ElectionRule.decide(refused(sight), RENEWAL)).isInstanceOf(Move.Wait.class);
      }
    }
  }

  private static Sight sight(
      String self, Optional<String> holder, long leaseLeftMs, long silenceMs, Group group) {
    return new Sight(
        self, holder, Duration.ofMillis(leaseLeftMs), Duration.ofMillis(silenceMs), group, false);
  }

  private static Sight refused(Sight sight) {
    return new Sight(
        sight.self(), sight.holder(), sight.leaseLeft(), sight.silence(), sight.group(), true);
  }

  private static Group there(String... present) {
    return new Group(List.of(present), Map.of());
  }

  private static Group gone(String name, long forMs, String... present) {
    return new Group(List.of(present), Map.of(name, Duration.ofMillis(forMs)));
  }

  private static Move waiting(long ms) {
    return new Move.Wait(Duration.ofMillis(ms));
  }
}
