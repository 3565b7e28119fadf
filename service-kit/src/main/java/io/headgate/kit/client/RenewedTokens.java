package io.headgate.kit.client;

import io.headgate.kit.time.TimeSource;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// Fetches tokens that live for minutes, a new one in good time before the last one ends.
/// Thread-safe.
public final class RenewedTokens implements TokenSource {
  /// The part of a token's life after which it is renewed.
  private static final double RENEWED_AFTER = 0.5;

  private final Supplier<Issued> issuer;
  private final TimeSource time;
  private final ReentrantLock lock = new ReentrantLock();
  // Guarded by lock.
  private @Nullable String token;
  private long renewNanos;

  /// A token and its end.
  public record Issued(String token, Instant expires) {}

  /// @param issuer fetches one token; it blocks, and has its own deadline
  public RenewedTokens(Supplier<Issued> issuer, TimeSource time) {
    this.issuer = issuer;
    this.time = time;
  }

  @Override
  public Optional<String> token() {
    lock.lock();
    try {
      if (token == null || time.monotonicNanos() - renewNanos >= 0) {
        renew();
      }
      return Optional.ofNullable(token);
    } finally {
      lock.unlock();
    }
  }

  private void renew() {
    Issued issued = issuer.get();
    long lifeNanos = Math.max(0, Duration.between(time.instant(), issued.expires()).toNanos());
    token = issued.token();
    renewNanos = time.monotonicNanos() + (long) (lifeNanos * RENEWED_AFTER);
  }
}
