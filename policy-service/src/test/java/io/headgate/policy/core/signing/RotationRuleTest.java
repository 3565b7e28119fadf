package io.headgate.policy.core.signing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.policy.core.signing.RotationRule.Due;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class RotationRuleTest {
  private static final Instant START = Instant.parse("2030-01-01T12:00:00Z");
  private static final RotationRule RULE =
      new RotationRule(Duration.ofDays(30), Duration.ofMinutes(10), Duration.ofMinutes(11));

  @Test
  void theFirstKeySignsAtOnce() {
    assertThat(RULE.due(List.of(), START)).isEqualTo(new Due(Optional.of(START), List.of()));
  }

  @Test
  void theWorkedExample() {
    SigningKeyTimes a = new SigningKeyTimes("a", START, START);
    Instant day30 = START.plus(Duration.ofDays(30));
    assertThat(RULE.due(List.of(a), day30.minusSeconds(1)).isNothing()).isTrue();
    assertThat(RULE.due(List.of(a), day30).successorFrom())
        .contains(day30.plus(Duration.ofMinutes(10)));

    SigningKeyTimes b = new SigningKeyTimes("b", day30, day30.plus(Duration.ofMinutes(10)));
    List<SigningKeyTimes> both = List.of(a, b);
    assertThat(RotationRule.signing(both, day30.plusSeconds(599))).contains("a");
    assertThat(RotationRule.signing(both, day30.plusSeconds(600))).contains("b");
    assertThat(RULE.due(both, day30.plusSeconds(20 * 60 + 59)).dead()).isEmpty();
    assertThat(RULE.due(both, day30.plusSeconds(21 * 60)).dead()).containsExactly("a");
  }

  @Test
  void aClockSetBackStillFindsAKeyToSignWith() {
    SigningKeyTimes a = new SigningKeyTimes("a", START, START);
    assertThat(RotationRule.signing(List.of(a), START.minus(Duration.ofDays(1)))).contains("a");
    assertThat(RotationRule.signing(List.of(), START)).isEmpty();
  }

  @Test
  void refusesAPeriodTooShortToPublishIn() {
    assertThatThrownBy(() ->
            new RotationRule(
                Duration.ofMinutes(21), Duration.ofMinutes(10), Duration.ofMinutes(11)))
        .hasMessageContaining("PT21M");
  }

  /// At any moment of a long life in which it is looked at irregularly, the key that signed a token
  /// is there until the token has died, and no more than three keys exist.
  @Test
  void everyTokenCanBeVerifiedForItsWholeLife() {
    for (int seed = 0; seed < 50; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      List<SigningKeyTimes> keys = new ArrayList<>();
      List<Signed> tokens = new ArrayList<>();
      Instant now = START;
      for (int step = 0; step < 500; step++) {
        Due due = RULE.due(keys, now);
        Instant at = now;
        keys.removeIf(key -> due.dead().contains(key.keyId()));
        due.successorFrom()
            .ifPresent(from -> keys.add(new SigningKeyTimes("k" + keys.size() + at, at, from)));
        tokens.removeIf(token -> !at.isBefore(token.dead()));
        String signing = RotationRule.signing(keys, now).orElseThrow();
        tokens.add(new Signed(signing, now.plus(RULE.tail())));
        List<String> known = keys.stream().map(SigningKeyTimes::keyId).toList();
        assertThat(tokens).as("seed %d", seed).allMatch(token -> known.contains(token.key()));
        assertThat(keys).as("seed %d", seed).hasSizeLessThanOrEqualTo(3);
        long most = random.nextInt(10) == 0 ? Duration.ofDays(40).toSeconds() : 3600;
        now = now.plusSeconds(random.nextLong(most));
      }
    }
  }

  private record Signed(String key, Instant dead) {}
}
