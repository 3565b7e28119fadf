package io.headgate.kit.audit;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.temporal.ChronoUnit;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/// SHA-256 over the values of an entry, each with its length before it, so that no value runs into
/// the next one. The schema's trigger computes an equal hash.
final class EntryHash {
  private static final int ABSENT = -1;

  private final MessageDigest digest;

  /// @param before hash of the entry before, in hexadecimal; empty: there is none
  EntryHash(String before) {
    try {
      this.digest = MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
    digest.update(HexFormat.of().parseHex(before));
  }

  EntryHash add(@Nullable Object value) {
    switch (value) {
      case null -> length(ABSENT);
      case Long number -> digest.update(ByteBuffer.allocate(Long.BYTES).putLong(number).array());
      case Instant time -> add(ChronoUnit.MICROS.between(Instant.EPOCH, time));
      case OffsetDateTime time -> add(time.toInstant());
      case String text -> {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        length(bytes.length);
        digest.update(bytes);
      }
      case Object[] texts -> {
        length(texts.length);
        for (Object text : texts) {
          add(text);
        }
      }
      default -> throw new IllegalArgumentException("no entry has a " + value.getClass());
    }
    return this;
  }

  private void length(int length) {
    digest.update(ByteBuffer.allocate(Integer.BYTES).putInt(length).array());
  }

  String hex() {
    return HexFormat.of().formatHex(digest.digest());
  }
}
