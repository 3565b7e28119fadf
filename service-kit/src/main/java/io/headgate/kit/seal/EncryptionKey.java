package io.headgate.kit.seal;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.Base64;
import java.util.HexFormat;
import java.util.Optional;

/// A key-encryption key: it encrypts data keys and lies outside of the database. Its text never
/// shows it. Thread-safe.
public final class EncryptionKey {
  private static final int ID_BYTES = 8;

  private final AesKey key;
  private final String id;

  private EncryptionKey(byte[] bytes) {
    this.key = new AesKey(bytes);
    this.id = HexFormat.of().formatHex(Arrays.copyOf(sha256(bytes), ID_BYTES));
  }

  /// A new random key.
  public static EncryptionKey random() {
    return new EncryptionKey(AesKey.randomBytes());
  }

  /// The key that [#reveal] wrote; empty for any other text.
  static Optional<EncryptionKey> parse(String text) {
    try {
      byte[] bytes = Base64.getDecoder().decode(text);
      return bytes.length == AesKey.BYTES
          ? Optional.of(new EncryptionKey(bytes))
          : Optional.empty();
    } catch (IllegalArgumentException _) {
      return Optional.empty();
    }
  }

  /// The key itself, in base64.
  String reveal() {
    return Base64.getEncoder().encodeToString(key.bytes());
  }

  /// 16 hexadecimal digits, which may be shown: the beginning of the key's SHA-256.
  public String id() {
    return id;
  }

  byte[] encrypt(byte[] plain, String bound) {
    return key.encrypt(new byte[0], bound.getBytes(StandardCharsets.UTF_8), plain);
  }

  /// Decrypts a nonce with ciphertext and tag; empty if they are not of this key and `bound`.
  ///
  /// @param from index of the nonce
  public Optional<byte[]> decrypt(byte[] sealed, int from, String bound) {
    return key.decrypt(sealed, from, bound.getBytes(StandardCharsets.UTF_8));
  }

  @Override
  public String toString() {
    return "key-encryption key " + id;
  }

  private static byte[] sha256(byte[] bytes) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(bytes);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
  }
}
