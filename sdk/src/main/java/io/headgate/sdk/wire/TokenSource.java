package io.headgate.sdk.wire;

import io.headgate.proto.policy.v1.ExchangeKeyRequest;
import io.headgate.proto.policy.v1.ExchangeKeyResponse;
import io.headgate.proto.policy.v1.TokenServiceGrpc;
import io.headgate.sdk.model.Credentials;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// Provides a valid token. It exchanges the key at first use, and again after four fifths of the
/// token's life.
final class TokenSource {
  /// A token is trusted for this long at least and at most, because our clock may be wrong.
  private static final Duration SHORTEST_LIFE = Duration.ofSeconds(30);

  private static final Duration LONGEST_LIFE = Duration.ofMinutes(10);

  // Subjects are resource names, so they contain no escapes.
  private static final Pattern SUBJECT = Pattern.compile("\"sub\"\\s*:\\s*\"([a-zA-Z0-9/_.-]+)\"");

  private final Credentials credentials;
  private final Connection connection;
  private final ReentrantLock lock = new ReentrantLock();
  private @Nullable Held held;

  private record Held(String token, long renewAtNanos) {}

  TokenSource(Credentials credentials, Connection connection) {
    this.credentials = credentials;
    this.connection = connection;
  }

  /// A token; empty when there are no credentials.
  String current() {
    return switch (credentials) {
      case Credentials.None _ -> "";
      case Credentials.Token(String token) -> token;
      case Credentials.Key(String secret) -> exchanged(secret);
    };
  }

  /// Drops the token; returns false when there is no way to get another.
  boolean forget() {
    lock.lock();
    try {
      held = null;
      return credentials instanceof Credentials.Key;
    } finally {
      lock.unlock();
    }
  }

  private String exchanged(String secret) {
    lock.lock(); // The lock is held during the exchange, so that many threads share one exchange.
    try {
      Held now = held;
      if (now == null || System.nanoTime() - now.renewAtNanos() >= 0) {
        now = exchange(secret);
        held = now;
      }
      return now.token();
    } finally {
      lock.unlock();
    }
  }

  private Held exchange(String secret) {
    ExchangeKeyResponse response =
        connection.callAnonymously(
            TokenServiceGrpc.getExchangeKeyMethod(),
            ExchangeKeyRequest.newBuilder().setKey(secret).build());
    Duration life = Duration.between(Instant.now(), TimeMessages.instant(response.getExpireTime()));
    long lifeNanos = Math.clamp(life.toNanos(), SHORTEST_LIFE.toNanos(), LONGEST_LIFE.toNanos());
    return new Held(response.getToken(), System.nanoTime() + lifeNanos / 5 * 4);
  }

  /// Reads the subject of the token without verifying it, for defaults and display only.
  static Optional<String> subject(String token) {
    String[] parts = token.split("\\.", -1);
    if (parts.length != 3) {
      return Optional.empty();
    }
    try {
      String json = new String(Base64.getUrlDecoder().decode(parts[1]), StandardCharsets.UTF_8);
      Matcher subject = SUBJECT.matcher(json);
      return subject.find() ? Optional.of(subject.group(1)) : Optional.empty();
    } catch (IllegalArgumentException notBase64) {
      return Optional.empty();
    }
  }
}
