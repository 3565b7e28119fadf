package io.headgate.scheduler.store;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.sql.Array;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Arrays;
import org.postgresql.core.BaseConnection;
import org.postgresql.core.Oid;
import org.postgresql.jdbc.PgArray;

/// An array of one dimension in PostgreSQL's binary format. Neither side writes or reads text,
/// which would be most of the cost of large batches.
///
/// Example: the bigints 7 and null are `1 dimension, has nulls, type 20, 2 elements from 1; length
/// 8, 7; length -1`, each number 4 bytes but the 7.
final class BinaryArray {
  /// Midnight of 2000-01-01 UTC, from which PostgreSQL counts microseconds, in Unix seconds.
  private static final long EPOCH_SECONDS = 946_684_800;

  private static final long MICROS_PER_SECOND = 1_000_000;
  private static final int NANOS_PER_MICRO = 1000;
  private static final int HEADER_BYTES = 20;
  private static final int EXPECTED_BYTES = 16;

  /// A length that says null.
  private static final int NULL = -1;

  /// The type of the elements.
  enum Type {
    BIGINT(Oid.INT8, Oid.INT8_ARRAY),
    INTEGER(Oid.INT4, Oid.INT4_ARRAY),
    TEXT(Oid.TEXT, Oid.TEXT_ARRAY),
    BOOLEAN(Oid.BOOL, Oid.BOOL_ARRAY),
    BYTEA(Oid.BYTEA, Oid.BYTEA_ARRAY),
    TIMESTAMPTZ(Oid.TIMESTAMPTZ, Oid.TIMESTAMPTZ_ARRAY);

    private final int element;
    private final int array;

    Type(int element, int array) {
      this.element = element;
      this.array = array;
    }
  }

  private final Type type;
  private final int length;
  private ByteBuffer bytes;
  private boolean hasNulls;

  /// @param length elements that are going to be put
  BinaryArray(Type type, int length) {
    this.type = type;
    this.length = length;
    this.bytes = ByteBuffer.allocate(HEADER_BYTES + length * EXPECTED_BYTES);
    bytes.position(HEADER_BYTES);
  }

  private ByteBuffer element(int size) {
    int needed = Integer.BYTES + Math.max(0, size);
    if (bytes.remaining() < needed) {
      bytes.flip();
      bytes = ByteBuffer.allocate(Math.max(2 * bytes.limit(), bytes.limit() + needed)).put(bytes);
    }
    return bytes.putInt(size);
  }

  void putNull() {
    hasNulls = true;
    element(NULL);
  }

  void putLong(long value) {
    element(Long.BYTES).putLong(value);
  }

  void putInt(int value) {
    element(Integer.BYTES).putInt(value);
  }

  void putBoolean(boolean value) {
    element(1).put((byte) (value ? 1 : 0));
  }

  void putBytes(byte[] value) {
    element(value.length).put(value);
  }

  void putText(String value) {
    putBytes(value.getBytes(StandardCharsets.UTF_8));
  }

  /// Rounded to microseconds as the server does with text.
  void putTime(Instant value) {
    long micros = Math.multiplyExact(value.getEpochSecond() - EPOCH_SECONDS, MICROS_PER_SECOND);
    putLong(micros + (value.getNano() + NANOS_PER_MICRO / 2) / NANOS_PER_MICRO);
  }

  /// Reads a time written by [#putTime].
  static Instant time(long micros) {
    return Instant.ofEpochSecond(
        EPOCH_SECONDS + Math.floorDiv(micros, MICROS_PER_SECOND),
        Math.floorMod(micros, MICROS_PER_SECOND) * NANOS_PER_MICRO);
  }

  /// The array as a parameter of a statement on the connection.
  Array toArray(Connection connection) throws SQLException {
    byte[] all = Arrays.copyOf(bytes.array(), bytes.position());
    ByteBuffer.wrap(all)
        .putInt(1)
        .putInt(hasNulls ? 1 : 0)
        .putInt(type.element)
        .putInt(length)
        .putInt(1);
    return new PgArray(connection.unwrap(BaseConnection.class), type.array, all);
  }
}
