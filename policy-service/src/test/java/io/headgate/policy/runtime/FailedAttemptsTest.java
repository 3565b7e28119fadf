package io.headgate.policy.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.kit.testing.TestClock;
import io.headgate.policy.core.key.KeyId;
import io.headgate.policy.core.key.SecretHash;
import io.headgate.policy.runtime.FailedAttempts.Attempt;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class FailedAttemptsTest {
  private final TestClock clock = new TestClock();
  private final FailedAttempts attempts = new FailedAttempts(clock);
  private final AtomicInteger lookUps = new AtomicInteger();

  @Test
  void aWrongSecretIsLookedUpOnceAMinute() {
    Attempt revoked = attempt("10.0.0.1", 1, "wrong");
    for (int i = 0; i < 1000; i++) {
      assertThat(attempts.decide(revoked, this::wrong)).isEmpty();
    }
    assertThat(lookUps).hasValue(1);
    clock.advance(Duration.ofMinutes(1));
    assertThat(attempts.decide(revoked, this::wrong)).isEmpty();
    assertThat(lookUps).hasValue(2);
    assertThat(attempts.isPenalised(revoked)).isFalse();
  }

  @Test
  void aGoodKeyPassesFromANetworkUnderPenalty() {
    guess("10.0.0.1", FailedAttempts.PER_NETWORK);
    Attempt good = attempt("10.0.0.1", 77_777, "good");
    assertThat(attempts.isPenalised(good)).isTrue();
    assertThat(attempts.decide(good, () -> Optional.of("token"))).contains("token");
    assertThat(attempts.isPenalised(attempt("10.0.0.2", 77_777, "good"))).isFalse();
  }

  @Test
  void aGoodKeyPassesAlthoughItsIdIsGuessedAt() {
    for (int i = 0; i < 1000; i++) {
      attempts.decide(attempt("10.0.0.9", 5, "guess " + i), this::wrong);
    }
    Attempt good = attempt("10.0.0.1", 5, "good");
    assertThat(attempts.isPenalised(good)).isTrue();
    assertThat(attempts.decide(good, () -> Optional.of("token"))).contains("token");
  }

  @Test
  void takesAnIpv6NetworkForOneAddress() {
    for (int i = 0; i < FailedAttempts.PER_NETWORK; i++) {
      attempts.decide(
          attempt("2001:db8:1:2:0:0:0:" + Integer.toHexString(i), i, "guess"), this::wrong);
    }
    assertThat(attempts.isPenalised(attempt("2001:db8:1:2:ffff:0:0:1", 9999, "x"))).isTrue();
    assertThat(attempts.isPenalised(attempt("2001:db8:1:3:0:0:0:1", 9999, "x"))).isFalse();
  }

  @Test
  void attemptsUnderPenaltyAreLookedUpTwoAtATimeAndKnownKeysBesideThem() throws Exception {
    Attempt known = attempt("10.0.0.1", 77_777, "good");
    attempts.decide(known, () -> Optional.of("token"));
    attempts.decide(proof("10.0.0.1", 1), () -> Optional.of("token"));
    guess("10.0.0.1", FailedAttempts.PER_NETWORK);
    // A thief of the secret behind the same address, whose proofs are wrong or used before.
    for (int i = 0; i < FailedAttempts.PER_KEY; i++) {
      attempts.countWrong(proof("10.0.0.1", 100 + i));
      attempts.countFailure(proof("10.0.0.1", 1));
    }
    CountDownLatch mayEnd = new CountDownLatch(1);
    CountDownLatch twoBegan = new CountDownLatch(FailedAttempts.SLOW_LANE);
    AtomicInteger atOnce = new AtomicInteger();
    AtomicInteger most = new AtomicInteger();
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<?>> flood = new ArrayList<>();
      for (int i = 0; i < 50; i++) {
        Attempt guess = attempt("10.0.0.1", 10_000 + i, "flood");
        flood.add(
            threads.submit(() ->
                attempts.decide(
                    guess,
                    () -> {
                      most.accumulateAndGet(atOnce.incrementAndGet(), Math::max);
                      twoBegan.countDown();
                      await(mayEnd);
                      atOnce.decrementAndGet();
                      return Optional.empty();
                    })));
      }
      twoBegan.await();
      assertThat(attempts.isPenalised(proof("10.0.0.2", 3))).isTrue();
      // Both places are taken, and a known key needs none.
      assertThat(attempts.decide(known, () -> Optional.of("token"))).contains("token");
      assertThat(attempts.decide(proof("10.0.0.2", 3), () -> Optional.of("token")))
          .as("a machine, whose proofs all differ, and whose address has changed")
          .contains("token");
      mayEnd.countDown();
      for (Future<?> each : flood) {
        assertThat(each.get()).isEqualTo(Optional.empty());
      }
    }
    assertThat(most).hasValue(FailedAttempts.SLOW_LANE);
  }

  @Test
  void aWrongProofIsLookedUpOnceAndAnOutdatedOneEachTime() {
    attempts.countWrong(proof("10.0.0.1", 1));
    assertThat(attempts.decide(proof("10.0.0.1", 1), () -> Optional.of("token"))).isEmpty();
    attempts.countFailure(proof("10.0.0.1", 2));
    assertThat(attempts.decide(proof("10.0.0.1", 2), () -> Optional.of("token"))).isPresent();
  }

  @Test
  void remembersABoundedNumber() {
    LeakyBuckets buckets = new LeakyBuckets(clock);
    for (int i = 0; i < LeakyBuckets.MAX_BUCKETS + 5000; i++) {
      buckets.tryAdd("address " + i, 10);
    }
    assertThat(buckets.size()).isEqualTo(LeakyBuckets.MAX_BUCKETS);
  }

  private void guess(String address, int times) {
    for (int i = 0; i < times; i++) {
      attempts.decide(attempt(address, i, "guess"), this::wrong);
    }
  }

  private Optional<String> wrong() {
    lookUps.incrementAndGet();
    return Optional.empty();
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /// A machine's attempt, known again by its secret and its public key.
  private static Attempt proof(String address, int counter) {
    return new Attempt(
        address,
        new KeyId("%016x".formatted(88_888)),
        new SecretHash("secret, proof " + counter),
        new SecretHash("secret and public key"));
  }

  private static Attempt attempt(String address, int key, String secret) {
    return new Attempt(
        address, new KeyId("%016x".formatted(key)), new SecretHash(key + " " + secret));
  }
}
