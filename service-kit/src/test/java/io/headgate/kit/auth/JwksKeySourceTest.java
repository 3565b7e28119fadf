package io.headgate.kit.auth;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.kit.testing.TestClock;
import io.headgate.kit.testing.TestTokens;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

class JwksKeySourceTest {
  private static final Supplier<String> AWAY =
      () -> {
        throw new IllegalStateException("the issuer is away");
      };

  private final TestClock clock = new TestClock();
  private final TestTokens tokens = TestTokens.create(clock);
  private final AtomicInteger fetches = new AtomicInteger();
  private final AtomicReference<Supplier<String>> issuer = new AtomicReference<>(tokens::jwks);
  private final JwksKeySource keys =
      new JwksKeySource(
          () -> {
            fetches.incrementAndGet();
            return issuer.get().get();
          },
          clock);

  @Test
  void fetchesOnceAndRemembers() {
    assertThat(keys.find("test")).isPresent();
    assertThat(keys.find("test")).isPresent();
    assertThat(fetches).hasValue(1);
  }

  @Test
  void fetchesAgainForAnUnknownKeyButNotMoreOftenThanTheBound() {
    assertThat(keys.find("test")).isPresent();
    clock.advance(Duration.ofSeconds(5));
    for (int i = 0; i < 100; i++) {
      assertThat(keys.find("invented-" + i)).isEmpty();
    }
    assertThat(fetches).hasValue(2);
  }

  @Test
  void seesARotatedKey() {
    issuer.set(() -> "{\"keys\":[]}");
    assertThat(keys.find("test")).isEmpty();
    issuer.set(tokens::jwks);
    clock.advance(Duration.ofSeconds(5));
    assertThat(keys.find("test")).isPresent();
  }

  @Test
  void goesOnWithTheOldKeysWhileTheIssuerIsAway() {
    assertThat(keys.find("test")).isPresent();
    issuer.set(AWAY);
    clock.advance(Duration.ofHours(1));
    assertThat(keys.find("test")).isPresent();
    assertThat(fetches).hasValue(2);
  }

  @Test
  void nobodyWhoHasAKeyWaitsForASlowIssuer() throws Exception {
    assertThat(keys.find("test")).isPresent();
    CountDownLatch asked = new CountDownLatch(1);
    CountDownLatch answers = new CountDownLatch(1);
    issuer.set(() -> {
      asked.countDown();
      await(answers);
      return tokens.jwks();
    });
    clock.advance(Duration.ofMinutes(10));
    try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      var fetching = threads.submit(() -> keys.find("test"));
      await(asked);
      for (int i = 0; i < 100; i++) {
        assertThat(keys.find("test")).isPresent();
      }
      answers.countDown();
      assertThat(fetching.get()).isPresent();
    }
    assertThat(fetches).hasValue(2);
  }

  /// Invented key ids would otherwise take all threads that check tokens.
  @Test
  void anUnknownKeyIsRefusedWhileAnotherThreadFetches() throws Exception {
    assertThat(keys.find("test")).isPresent();
    CountDownLatch asked = new CountDownLatch(1);
    CountDownLatch answers = new CountDownLatch(1);
    issuer.set(() -> {
      asked.countDown();
      await(answers);
      return tokens.jwks();
    });
    clock.advance(Duration.ofSeconds(5));
    try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      var fetching = threads.submit(() -> keys.find("invented"));
      await(asked);
      var second = threads.submit(() -> keys.find("invented, too"));
      assertThatThrownBy(() -> second.get(30, TimeUnit.SECONDS))
          .hasCauseInstanceOf(KeysUnavailableException.class);
      answers.countDown();
      assertThat(fetching.get()).isEmpty();
    }
  }

  @Test
  void theBoundCountsFromTheEndOfAnAttempt() {
    issuer.set(() -> {
      clock.advance(Duration.ofSeconds(15));
      return AWAY.get();
    });
    assertThatThrownBy(() -> keys.find("test")).isInstanceOf(KeysUnavailableException.class);
    assertThatThrownBy(() -> keys.find("test")).isInstanceOf(KeysUnavailableException.class);
    assertThat(fetches).hasValue(1);
  }

  @Test
  void knowsWhichKeysAreAtHand() {
    assertThat(keys.isAtHand("test")).isFalse();
    assertThat(keys.find("test")).isPresent();
    assertThat(keys.isAtHand("test")).isTrue();
    assertThat(keys.isAtHand("invented")).isFalse();
    assertThat(fetches).hasValue(1);
  }

  @Test
  void dropsARevokedKeyWhenTheSetIsOld() {
    assertThat(keys.find("test")).isPresent();
    issuer.set(() -> "{\"keys\":[]}");
    clock.advance(Duration.ofMinutes(10));
    assertThat(keys.find("test")).isEmpty();
  }

  @Test
  void saysSoWhenThereNeverWereKeys() {
    issuer.set(AWAY);
    assertThatThrownBy(() -> keys.find("test")).isInstanceOf(KeysUnavailableException.class);
    assertThatThrownBy(() -> keys.find("test")).isInstanceOf(KeysUnavailableException.class);
    assertThat(fetches).as("asked once within the bound").hasValue(1);
  }

  private static void await(CountDownLatch latch) {
    try {
      assertThat(latch.await(30, TimeUnit.SECONDS)).isTrue();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }
}
