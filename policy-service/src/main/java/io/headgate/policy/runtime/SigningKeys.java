package io.headgate.policy.runtime;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.jwk.Curve;
import com.nimbusds.jose.jwk.ECKey;
import com.nimbusds.jose.jwk.JWK;
import com.nimbusds.jose.jwk.JWKSet;
import com.nimbusds.jose.jwk.KeyUse;
import com.nimbusds.jose.jwk.gen.ECKeyGenerator;
import io.headgate.kit.auth.KeySource;
import io.headgate.kit.auth.Principal;
import io.headgate.kit.auth.TokenRules;
import io.headgate.kit.auth.TokenSigner;
import io.headgate.kit.config.Secret;
import io.headgate.kit.lifecycle.CannotStartException;
import io.headgate.kit.time.TimeSource;
import io.headgate.policy.core.signing.RotationRule;
import io.headgate.policy.core.signing.SigningKeyTimes;
import io.headgate.policy.runtime.port.Origin;
import io.headgate.policy.runtime.port.SigningKeyTable;
import io.headgate.policy.runtime.port.SigningKeyTable.Entry;
import io.headgate.policy.runtime.port.Tables;
import java.security.interfaces.ECPublicKey;
import java.text.ParseException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.locks.ReentrantLock;

/// The keys that sign tokens: encrypted in the database, shared by all instances of the service,
/// and rotated. Thread-safe.
public final class SigningKeys implements KeySource {
  /// Time until another instance's rotation is detected. A new key is published for longer than
  /// this before it signs.
  private static final Duration MAX_AGE = Duration.ofSeconds(30);

  /// An unknown key id causes at most one database read in this time.
  private static final Duration MIN_AGE = Duration.ofSeconds(1);

  private final Changes changes;
  private final RotationRule rotation;
  private final TokenRules rules;
  private final TimeSource time;
  private final ReentrantLock loading = new ReentrantLock();
  private volatile Optional<Loaded> loaded = Optional.empty();

  /// The content of the table.
  ///
  /// @param keys those that could be decrypted. The public part that lies open beside a key is not
  ///   enough: a writer of the database could add a key of its own
  private record Loaded(Map<String, ECKey> keys, List<SigningKeyTimes> times, long atNanos) {}

  public SigningKeys(Changes changes, RotationRule rotation, TokenRules rules, TimeSource time) {
    this.changes = changes;
    this.rotation = rotation;
    this.rules = rules;
    this.time = time;
  }

  /// A token that identifies `principal`.
  TokenSigner.Signed sign(Principal principal, Duration lifetime) {
    return new TokenSigner(signer(), rules, time).sign(principal, lifetime);
  }

  /// The key that signs now.
  ///
  /// @throws CannotStartException if it cannot be decrypted
  private ECKey signer() {
    Loaded now = current();
    String id = RotationRule.signing(now.times(), changes.now()).orElseThrow();
    return Optional.ofNullable(now.keys().get(id))
        .orElseThrow(() ->
            new CannotStartException(
                "the signing key %s cannot be decrypted, and the log says why: run".formatted(id)
                    + " --replace-signing-keys if its key-encryption key is in the file"));
  }

  /// Makes the first key, and begins a rotation if it is due.
  ///
  /// @throws CannotStartException if the key that signs cannot be decrypted
  public void start() {
    var _ = signer();
  }

  /// The public keys as RFC 7517 JSON, including keys that do not sign yet.
  public String publicJwks() {
    List<JWK> keys = new ArrayList<>();
    current().keys().values().forEach(key -> keys.add(key.toPublicJWK()));
    return new JWKSet(keys).toString();
  }

  @Override
  public Optional<ECPublicKey> find(String keyId) {
    ECKey key = current().keys().get(keyId);
    if (key == null) {
      key = noOlderThan(MIN_AGE).keys().get(keyId);
    }
    try {
      return key == null ? Optional.empty() : Optional.of(key.toECPublicKey());
    } catch (JOSEException e) {
      throw new IllegalStateException("the generated signing key is invalid", e);
    }
  }

  /// Replaces all keys by a new key that signs at once, which invalidates every issued token. Used
  /// when the signing keys were stolen.
  public void replaceAll() {
    changes.change(tables -> {
      List<String> old = tables.signingKeys().lock().stream().map(SigningKeyTimes::keyId).toList();
      tables.signingKeys().delete(old);
      return insert(tables, changes.now());
    });
    load();
  }

  /// The present keys; begins a rotation if it is due.
  private Loaded current() {
    Loaded known = noOlderThan(MAX_AGE);
    return isAnythingDue(known) ? rotated() : known;
  }

  /// The keys, read at most `age` ago. One thread reads them while concurrent threads wait for it.
  private Loaded noOlderThan(Duration age) {
    Optional<Loaded> known = loaded;
    if (known.isPresent() && isYounger(known.get(), age)) {
      return known.get();
    }
    loading.lock();
    try {
      known = loaded;
      return known.isPresent() && isYounger(known.get(), age) ? known.get() : load();
    } finally {
      loading.unlock();
    }
  }

  /// The keys after a due rotation; of concurrent threads, one rotates.
  private Loaded rotated() {
    loading.lock();
    try {
      Optional<Loaded> known = loaded;
      if (known.isPresent() && !isAnythingDue(known.get())) {
        return known.get();
      }
      changes.change(tables -> {
        List<SigningKeyTimes> times = tables.signingKeys().lock();
        // Another instance may have rotated meanwhile; then nothing is due.
        RotationRule.Due due = rotation.due(times, changes.now());
        tables.signingKeys().delete(due.dead());
        due.successorFrom().ifPresent(from -> insert(tables, from));
        return due;
      });
      return load();
    } finally {
      loading.unlock();
    }
  }

  private boolean isAnythingDue(Loaded known) {
    return !rotation.due(known.times(), changes.now()).isNothing();
  }

  private Entry insert(Tables tables, Instant activeFrom) {
    try {
      ECKey key =
          new ECKeyGenerator(Curve.P_256)
              .keyID(UUID.randomUUID().toString())
              .keyUse(KeyUse.SIGNATURE)
              .algorithm(JWSAlgorithm.ES256)
              .generate();
      SigningKeyTimes times = new SigningKeyTimes(key.getKeyID(), changes.now(), activeFrom);
      Entry entry =
          new SigningKeyTable.Entry(
              times, key.toPublicJWK().toJSONString(), Optional.of(Secret.of(key.toJSONString())));
      tables.signingKeys().insert(entry);
      changes.record(
          tables,
          Origin.LOCAL,
          Optional.empty(),
          "CreateSigningKey",
          "signingKeys/" + key.getKeyID(),
          List.of());
      return entry;
    } catch (JOSEException e) {
      throw new IllegalStateException("cannot make a signing key", e);
    }
  }

  private Loaded load() {
    loading.lock();
    try {
      List<Entry> entries = changes.read(tables -> tables.signingKeys().list());
      Map<String, ECKey> keys = new LinkedHashMap<>();
      List<SigningKeyTimes> times = new ArrayList<>();
      for (Entry entry : entries) {
        if (entry.privateJwk().isPresent()) {
          keys.put(entry.times().keyId(), ECKey.parse(entry.privateJwk().get().reveal()));
        }
        times.add(entry.times());
      }
      Loaded next = new Loaded(keys, List.copyOf(times), time.monotonicNanos());
      loaded = Optional.of(next);
      return next;
    } catch (ParseException e) {
      throw new IllegalStateException("a signing key in the database is invalid", e);
    } finally {
      loading.unlock();
    }
  }

  private boolean isYounger(Loaded known, Duration age) {
    return time.monotonicNanos() - known.atNanos() < age.toNanos();
  }
}
