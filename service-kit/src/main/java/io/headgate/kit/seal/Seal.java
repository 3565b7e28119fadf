package io.headgate.kit.seal;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Encrypts values of one schema, so that the database alone does not reveal them. A sealed value
/// opens only at the place for which it was sealed. Thread-safe.
///
/// Sealed bytes: version (1), id of the data key (8), nonce (12), ciphertext with its tag. No
/// protobuf message begins with the version's byte, so columns can refuse values in clear text.
public final class Seal {
  /// The first byte of each sealed value.
  public static final byte VERSION = 2;

  private static final int HEADER_BYTES = 1 + Long.BYTES;

  /// Bounds the memory for places whose fault was logged, in each column by itself: many lost jobs
  /// must not hide one lost variable.
  static final int MAX_REPORTED = 10_000;

  private static final Logger LOG = LoggerFactory.getLogger(Seal.class);

  private final String schema;
  private final DataKeys keys;
  private final Map<String, Set<SealedPlace>> reported = new ConcurrentHashMap<>();

  public Seal(String schema, DataKeys keys) {
    this.schema = schema;
    this.keys = keys;
  }

  /// Encrypts `plain` for `place`.
  public byte[] seal(byte[] plain, SealedPlace place) {
    DataKey key = keys.forSealing();
    byte[] header = ByteBuffer.allocate(HEADER_BYTES).put(VERSION).putLong(key.id()).array();
    return key.key().encrypt(header, place.bound(schema), plain);
  }

  /// The same for text.
  public byte[] sealText(String plain, SealedPlace place) {
    return seal(plain.getBytes(StandardCharsets.UTF_8), place);
  }

  /// Decrypts what was sealed for `place`.
  ///
  /// @throws BrokenSealException if this value does not open
  /// @throws KeyMissingException if this process lacks the key-encryption key
  public byte[] open(byte[] sealed, SealedPlace place) {
    if (sealed.length < HEADER_BYTES || sealed[0] != VERSION) {
      throw new BrokenSealException(place, "it is not in a form that this version knows");
    }
    DataKey key =
        keys.find(ByteBuffer.wrap(sealed).getLong(1))
            .orElseThrow(
                () -> new BrokenSealException(place, "the database does not have its data key"));
    return key.key()
        .decrypt(sealed, HEADER_BYTES, place.bound(schema))
        .orElseThrow(() ->
            new BrokenSealException(place, "it was changed, or moved here from another place"));
  }

  /// The same for text.
  public String openText(byte[] sealed, SealedPlace place) {
    return new String(open(sealed, place), StandardCharsets.UTF_8);
  }

  /// The same for a caller that goes on without the value: empty if it does not open, which the log
  /// states once for each place.
  ///
  /// @throws KeyMissingException if this process lacks the key-encryption key
  public Optional<byte[]> tryOpen(byte[] sealed, SealedPlace place) {
    try {
      return Optional.of(open(sealed, place));
    } catch (BrokenSealException e) {
      report(place, e);
      return Optional.empty();
    }
  }

  private void report(SealedPlace place, BrokenSealException fault) {
    Set<SealedPlace> inColumn =
        reported.computeIfAbsent(
            place.table() + "." + place.column(), _ -> ConcurrentHashMap.newKeySet());
    if (inColumn.size() >= MAX_REPORTED || !inColumn.add(place)) {
      return;
    }
    LOG.error("{}.{}", schema, fault.getMessage());
    if (inColumn.size() == MAX_REPORTED) {
      LOG.error(
          "{}.{}.{} has more values that cannot be decrypted; further ones are not logged",
          schema,
          place.table(),
          place.column());
    }
  }

  /// The same for text.
  public Optional<String> tryOpenText(byte[] sealed, SealedPlace place) {
    return tryOpen(sealed, place).map(plain -> new String(plain, StandardCharsets.UTF_8));
  }
}
