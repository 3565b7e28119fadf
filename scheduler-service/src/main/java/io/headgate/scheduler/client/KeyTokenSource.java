package io.headgate.scheduler.client;

import io.grpc.Channel;
import io.headgate.kit.client.TokenSource;
import io.headgate.kit.config.Secret;
import io.headgate.kit.time.TimeSource;
import io.headgate.proto.policy.v1.ExchangeKeyRequest;
import io.headgate.proto.policy.v1.ExchangeKeyResponse;
import io.headgate.proto.policy.v1.TokenServiceGrpc;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/// Exchanges this service's long-lived key for short-lived tokens, a new one in good time before
/// the last one ends. Thread-safe.
public final class KeyTokenSource implements TokenSource {
  /// The part of a token's life after which it is renewed.
  private static final double RENEWED_AFTER = 0.5;

  private static final Duration DEADLINE = Duration.ofSeconds(10);

  private final Channel policyService;
  private final Secret key;
  private final TimeSource time;
  private final ReentrantLock lock = new ReentrantLock();
  // Guarded by lock.
  private @Nullable String token;
  private long renewNanos;

  /// Exchanges the key at the policy-service behind the channel, which sends no token itself.
  public KeyTokenSource(Channel policyService, Secret key, TimeSource time) {
    this.policyService = policyService;
    this.key = key;
    this.time = time;
  }

  @Override
  public Optional<String> token() {
    lock.lock();
    try {
      if (token == null || time.monotonicNanos() - renewNanos >= 0) {
        exchange();
      }
      return Optional.ofNullable(token);
    } finally {
      lock.unlock();
    }
  }

  private void exchange() {
    ExchangeKeyResponse response =
        TokenServiceGrpc.newBlockingStub(policyService)
            .withDeadlineAfter(DEADLINE.toMillis(), TimeUnit.MILLISECONDS)
            .exchangeKey(ExchangeKeyRequest.newBuilder().setKey(key.reveal()).build());
    Instant expires =
        Instant.ofEpochSecond(
            response.getExpireTime().getSeconds(), response.getExpireTime().getNanos());
    long lifeNanos = Math.max(0, Duration.between(time.instant(), expires).toNanos());
    token = response.getToken();
    renewNanos = time.monotonicNanos() + (long) (lifeNanos * RENEWED_AFTER);
  }
}
