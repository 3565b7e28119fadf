package io.headgate.policy.runtime;

import io.headgate.policy.core.key.KeyId;
import io.headgate.policy.core.key.KeyKind;
import io.headgate.policy.core.key.KeySecret;
import io.headgate.policy.core.key.SecretHash;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.util.HexFormat;

/// Makes long-lived secrets and recognises them. Thread-safe.
public final class Secrets {
  private final SecureRandom random = new SecureRandom();

  KeySecret generate(KeyKind kind) {
    return KeySecret.of(
        kind, KeyId.ofRandom(bytes(KeyId.RANDOM_BYTES)), bytes(KeySecret.RANDOM_BYTES));
  }

  static SecretHash hash(KeySecret secret) {
    try {
      byte[] digest =
          MessageDigest.getInstance("SHA-256")
              .digest(secret.text().getBytes(StandardCharsets.US_ASCII));
      return new SecretHash(HexFormat.of().formatHex(digest));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
  }

  /// Whether `hash` was made of `secret`; takes the same time for every answer.
  static boolean matches(KeySecret secret, SecretHash hash) {
    return MessageDigest.isEqual(
        hash(secret).hex().getBytes(StandardCharsets.US_ASCII),
        hash.hex().getBytes(StandardCharsets.US_ASCII));
  }

  private byte[] bytes(int count) {
    byte[] bytes = new byte[count];
    random.nextBytes(bytes);
    return bytes;
  }
}
