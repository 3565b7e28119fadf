package io.headgate.kit.auth;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.jwk.Curve;
import com.nimbusds.jose.jwk.ECKey;
import com.nimbusds.jose.jwk.JWK;
import com.nimbusds.jose.jwk.JWKSet;
import io.headgate.kit.time.TimeSource;
import java.security.interfaces.ECPublicKey;
import java.text.ParseException;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Caches the keys of a JSON Web Key Set that a function fetches. An unknown key id or the age of
/// the cache triggers a fetch, at most at the bounded rate, so that invented key ids cannot flood
/// the issuer. While the issuer is slow or unreachable, the cached keys stay in use. One thread
/// fetches. Others wait for it only before the first keys are there: later an unknown key id is
/// refused meanwhile, so that invented ones do not block threads. Thread-safe.
public final class JwksKeySource implements KeySource {
  private static final Logger LOG = LoggerFactory.getLogger(JwksKeySource.class);
  private static final Duration MAX_AGE = Duration.ofMinutes(10);
  private static final Duration MIN_INTERVAL = Duration.ofSeconds(5);

  private record Keys(Map<String, ECPublicKey> byId, long fetchedNanos) {}

  private final Supplier<String> fetch;
  private final TimeSource time;
  private final ReentrantLock fetching = new ReentrantLock();
  private volatile Optional<Keys> keys = Optional.empty();
  private long lastAttemptNanos;
  private boolean attempted;

  /// @param fetch returns the JSON of the key set; it should have its own deadline
  public JwksKeySource(Supplier<String> fetch, TimeSource time) {
    this.fetch = fetch;
    this.time = time;
  }

  @Override
  public Optional<ECPublicKey> find(String keyId) {
    Optional<Keys> known = keys;
    Optional<ECPublicKey> key = known.map(found -> found.byId().get(keyId));
    if (key.isPresent() && isFresh(known.get())) {
      return key;
    }
    if (known.isEmpty()) {
      fetching.lock();
    } else if (!fetching.tryLock()) {
      if (key.isEmpty()) {
        throw new KeysUnavailableException(new IllegalStateException("they are being renewed"));
      }
      return key;
    }
    try {
      refresh();
    } finally {
      fetching.unlock();
    }
    return keys.map(found -> found.byId().get(keyId));
  }

  @Override
  public boolean isAtHand(String keyId) {
    return keys.map(known -> known.byId().containsKey(keyId)).orElse(false);
  }

  private boolean isFresh(Keys known) {
    return time.monotonicNanos() - known.fetchedNanos() < MAX_AGE.toNanos();
  }

  /// Under the lock.
  private void refresh() {
    long now = time.monotonicNanos();
    if (attempted && now - lastAttemptNanos < MIN_INTERVAL.toNanos()) {
      if (keys.isEmpty()) {
        throw new KeysUnavailableException(new IllegalStateException("the last fetch failed"));
      }
      return;
    }
    attempted = true;
    try {
      keys = Optional.of(new Keys(parse(fetch.get()), now));
    } catch (RuntimeException e) {
      if (keys.isEmpty()) {
        LOG.warn("tokens cannot be verified: no keys: {}", e.toString());
        throw e instanceof KeysUnavailableException ? e : new KeysUnavailableException(e);
      }
      LOG.warn(
          "the verification keys cannot be renewed, the old ones stay in use: {}", e.toString());
    } finally {
      // From its end, because an attempt may last longer than the interval.
      lastAttemptNanos = time.monotonicNanos();
    }
  }

  private static Map<String, ECPublicKey> parse(String json) {
    try {
      Map<String, ECPublicKey> byId = new HashMap<>();
      for (JWK key : JWKSet.parse(json).getKeys()) {
        if (key instanceof ECKey ec && Curve.P_256.equals(ec.getCurve()) && ec.getKeyID() != null) {
          byId.put(ec.getKeyID(), ec.toECPublicKey());
        }
      }
      return Map.copyOf(byId);
    } catch (ParseException | JOSEException e) {
      throw new IllegalArgumentException("not a JSON Web Key Set", e);
    }
  }
}
