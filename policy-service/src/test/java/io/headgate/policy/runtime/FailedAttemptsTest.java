package io.headgate.policy.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.kit.decision.DeniedException;
import io.headgate.kit.testing.TestClock;
import io.headgate.policy.core.Denial;
import io.headgate.policy.core.key.KeyId;
import io.headgate.policy.runtime.FailedAttempts.Source;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class FailedAttemptsTest {
  private final TestClock clock = new TestClock();
  private final FailedAttempts attempts = new FailedAttempts(clock);

  @Test
  void holdsBackAKeyThatFailsAgainAndAgain() {
    Source revoked = source("10.0.0.1", 1);
    fail(revoked, FailedAttempts.PER_KEY);
    assertThatThrownBy(() -> attempts.require(revoked))
        .isInstanceOfSatisfying(
            DeniedException.class,
            denied ->
                assertThat(denied.denials(Denial.class))
                    .containsExactly(new Denial.TooManyAttempts(Duration.ofSeconds(6))));
    clock.advance(Duration.ofSeconds(6));
    assertThatCode(() -> attempts.require(revoked)).doesNotThrowAnyException();
  }

  @Test
  void doesNotLockOutOthersBehindTheSameAddress() {
    fail(source("10.0.0.1", 1), 1000);
    assertThatCode(() -> attempts.require(source("10.0.0.1", 2))).doesNotThrowAnyException();
  }

  @Test
  void holdsBackAnAddressThatGuesses() {
    for (int i = 0; i < FailedAttempts.PER_ADDRESS; i++) {
      attempts.failed(source("10.0.0.1", i));
    }
    assertThatThrownBy(() -> attempts.require(source("10.0.0.1", 5000)))
        .isInstanceOf(DeniedException.class);
    assertThatCode(() -> attempts.require(source("10.0.0.2", 5000))).doesNotThrowAnyException();
    clock.advance(Duration.ofSeconds(1));
    assertThatCode(() -> attempts.require(source("10.0.0.1", 5000))).doesNotThrowAnyException();
  }

  @Test
  void takesAnIpv6NetworkForOneAddress() {
    for (int i = 0; i < FailedAttempts.PER_ADDRESS; i++) {
      attempts.failed(source("2001:db8:1:2:0:0:0:" + Integer.toHexString(i), i));
    }
    assertThatThrownBy(() -> attempts.require(source("2001:db8:1:2:ffff:0:0:1", 9999)))
        .isInstanceOf(DeniedException.class);
    assertThatCode(() -> attempts.require(source("2001:db8:1:3:0:0:0:1", 9999)))
        .doesNotThrowAnyException();
  }

  @Test
  void remembersABoundedNumber() {
    LeakyBuckets buckets = new LeakyBuckets(clock);
    for (int i = 0; i < LeakyBuckets.MAX_BUCKETS + 5000; i++) {
      buckets.tryAdd("address " + i, 10);
    }
    assertThat(buckets.size()).isEqualTo(LeakyBuckets.MAX_BUCKETS);
  }

  private void fail(Source source, int times) {
    for (int i = 0; i < times; i++) {
      if (isFree(source)) {
        attempts.failed(source);
      }
    }
  }

  /// A refused source is not examined, and the refusal does not count.
  private boolean isFree(Source source) {
    try {
      attempts.require(source);
      return true;
    } catch (DeniedException _) {
      return false;
    }
  }

  private static Source source(String address, int key) {
    return new Source(address, Optional.of(new KeyId("%016x".formatted(key))));
  }
}
