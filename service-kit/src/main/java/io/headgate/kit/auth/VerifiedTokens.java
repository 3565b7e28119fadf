package io.headgate.kit.auth;

import io.headgate.kit.time.TimeSource;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.time.Instant;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/// Caches the principals of verified tokens for a short time. A signature check takes some hundred
/// microseconds, and clients send one token many times. The expiry is checked on each use; a
/// withdrawn key takes effect within {@link #KEPT}. Tokens are stored as digests only. Thread-safe.
final class VerifiedTokens {
  static final Duration KEPT = Duration.ofSeconds(60);
  private static final Duration SPARE = Duration.ofSeconds(5);
  private static final int MOST = 10_000;

  /// A verified token.
  record Verified(Principal principal, Instant expires) {}

  private record Remembered(Verified verified, long sinceNanos) {}

  private final Object lock = new Object();
  private final TimeSource time;
  private final Map<String, Remembered> entries =
      new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Remembered> eldest) {
          return size() > MOST;
        }
      };

  VerifiedTokens(TimeSource time) {
    this.time = time;
  }

  Optional<Verified> find(String token) {
    return find(token, KEPT);
  }

  /// The result of [#find] that stays valid for some seconds.
  Optional<Verified> findLasting(String token) {
    return find(token, KEPT.minus(SPARE));
  }

  private Optional<Verified> find(String token, Duration kept) {
    String key = digest(token);
    synchronized (lock) {
      Remembered entry = entries.get(key);
      return entry == null || time.monotonicNanos() - entry.sinceNanos() >= kept.toNanos()
          ? Optional.empty()
          : Optional.of(entry.verified());
    }
  }

  void remember(String token, Verified verified) {
    synchronized (lock) {
      entries.put(digest(token), new Remembered(verified, time.monotonicNanos()));
    }
  }

  private static String digest(String token) {
    try {
      byte[] bytes = token.getBytes(StandardCharsets.UTF_8);
      return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }
}
