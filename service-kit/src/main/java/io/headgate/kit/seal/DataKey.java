package io.headgate.kit.seal;

import java.security.SecureRandom;
import java.util.Optional;

/// A key that seals values. The database has it encrypted by a key-encryption key. Thread-safe.
public final class DataKey {
  private static final SecureRandom RANDOM = new SecureRandom();

  private final long id;
  private final AesKey key;

  private DataKey(long id, AesKey key) {
    this.id = id;
    this.key = key;
  }

  /// A new key with a random id.
  public static DataKey random() {
    return new DataKey(RANDOM.nextLong(), new AesKey(AesKey.randomBytes()));
  }

  /// The key in a result of [#wrapped]; empty if `by` did not encrypt it under this id and schema.
  public static Optional<DataKey> unwrap(long id, byte[] wrapped, EncryptionKey by, String schema) {
    return by.decrypt(wrapped, 0, bound(id, schema))
        .map(bytes -> new DataKey(id, new AesKey(bytes)));
  }

  /// This key, encrypted by `by`.
  public byte[] wrapped(EncryptionKey by, String schema) {
    return by.encrypt(key.bytes(), bound(id, schema));
  }

  public long id() {
    return id;
  }

  AesKey key() {
    return key;
  }

  private static String bound(long id, String schema) {
    return "headgate data key " + id + " of " + schema;
  }
}
