package io.headgate.policy.runtime;

import io.headgate.policy.core.key.KeyId;
import io.headgate.policy.core.key.KeyKind;
import io.headgate.policy.core.key.KeySecret;
import io.headgate.policy.core.key.SecretHash;
import io.headgate.policy.core.name.NodeId;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.InvalidKeyException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.HexFormat;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/// Creates long-lived secrets and verifies them. Thread-safe.
public final class Secrets {
  /// Length of the key for deriving secrets, in bytes.
  public static final int DERIVATION_KEY_LENGTH = 32;

  private static final String MAC = "HmacSHA256";

  private final SecureRandom random = new SecureRandom();
  private final SecretKeySpec derivationKey;

  /// @param derivationKey shared by all instances of the service; alone it opens nothing
  public Secrets(byte[] derivationKey) {
    if (derivationKey.length != DERIVATION_KEY_LENGTH) {
      throw new IllegalArgumentException(
          "a derivation key has " + DERIVATION_KEY_LENGTH + " bytes");
    }
    this.derivationKey = new SecretKeySpec(derivationKey, MAC);
  }

  KeySecret generate(KeyKind kind) {
    return KeySecret.of(
        kind, KeyId.ofRandom(bytes(KeyId.RANDOM_BYTES)), bytes(KeySecret.RANDOM_BYTES));
  }

  /// The key that `request` of the bearer of `join` gets for `node`. Equal arguments give the equal
  /// key, so that a repetition can be answered without storing the secret. Computing it needs both
  /// `join` and the derivation key. Its id does not depend on the node, so that a repetition for
  /// another node is detected.
  KeySecret derive(KeySecret join, String request, NodeId node) {
    byte[] id = mac("id", join.text(), request);
    byte[] letters = mac("secret", join.text(), request, node.value());
    return KeySecret.of(
        KeyKind.NODE, KeyId.ofRandom(Arrays.copyOf(id, KeyId.RANDOM_BYTES)), letters);
  }

  static SecretHash hash(KeySecret secret) {
    return hash(secret.text());
  }

  static SecretHash hash(String text) {
    try {
      byte[] digest =
          MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.US_ASCII));
      return new SecretHash(HexFormat.of().formatHex(digest));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
  }

  /// Whether `hash` belongs to `secret`, in constant time.
  static boolean matches(KeySecret secret, SecretHash hash) {
    return MessageDigest.isEqual(
        hash(secret).hex().getBytes(StandardCharsets.US_ASCII),
        hash.hex().getBytes(StandardCharsets.US_ASCII));
  }

  /// Each part is preceded by its length, so that different lists give different input.
  private byte[] mac(String... parts) {
    try {
      Mac mac = Mac.getInstance(MAC);
      mac.init(derivationKey);
      for (String part : parts) {
        byte[] text = part.getBytes(StandardCharsets.UTF_8);
        mac.update(ByteBuffer.allocate(Integer.BYTES).putInt(text.length).flip());
        mac.update(text);
      }
      return mac.doFinal();
    } catch (NoSuchAlgorithmException | InvalidKeyException e) {
      throw new IllegalStateException("every JDK has " + MAC, e);
    }
  }

  private byte[] bytes(int count) {
    byte[] bytes = new byte[count];
    random.nextBytes(bytes);
    return bytes;
  }
}
