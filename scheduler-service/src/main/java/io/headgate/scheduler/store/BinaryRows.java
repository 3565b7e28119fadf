package io.headgate.scheduler.store;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;
import org.postgresql.copy.CopyOut;

/// The rows of a query in the binary form of COPY, for reads of a million rows. No side writes or
/// parses text, only the current row is buffered, and equal values of many rows share one object.
/// Fields are read in the order of the query, each once. Confined to one thread.
///
/// Example: the row (7, null) of a bigint and a text is `2 fields; length 8, 7; length -1`.
final class BinaryRows implements AutoCloseable {
  private static final byte[] SIGNATURE =
      "PGCOPY\n\377\r\n\0".getBytes(StandardCharsets.ISO_8859_1);

  /// A length that says null, and a number of fields that says that no row follows.
  private static final int NONE = -1;

  /// Texts that are compared with before a new one is made. A power of two.
  private static final int REMEMBERED = 1 << 12;

  private final CopyOut copy;
  private final String[] texts = new String[REMEMBERED];
  private final byte[][] encoded = new byte[REMEMBERED][];
  private final Map<Object, Object> shared = new HashMap<>();
  private ByteBuffer chunk = ByteBuffer.allocate(0);
  private long lastMicros;
  private Instant lastTime = BinaryArray.time(lastMicros);

  private BinaryRows(CopyOut copy) {
    this.copy = copy;
  }

  /// Begins to read; nothing else is done on the connection until it is closed.
  ///
  /// @param query without parameters
  static BinaryRows of(Connection connection, String query) throws SQLException {
    CopyOut copy =
        connection
            .unwrap(PGConnection.class)
            .getCopyAPI()
            .copyOut("copy (" + query + ") to stdout (format binary)");
    BinaryRows rows = new BinaryRows(copy);
    rows.begin();
    return rows;
  }

  private void begin() throws SQLException {
    demandChunk();
    byte[] signature = new byte[SIGNATURE.length];
    chunk.get(signature);
    if (!Arrays.equals(signature, SIGNATURE)) {
      throw new IllegalStateException("the server's COPY format is unknown");
    }
    chunk.getInt();
    int extension = chunk.getInt();
    chunk.position(chunk.position() + extension);
  }

  private void demandChunk() throws SQLException {
    byte[] next = copy.readFromCopy();
    if (next == null) {
      throw new IllegalStateException("the COPY data ended before its trailer");
    }
    chunk = ByteBuffer.wrap(next);
  }

  /// Goes to the next row.
  ///
  /// @return false: there is none
  boolean next() throws SQLException {
    if (!chunk.hasRemaining()) {
      demandChunk();
    }
    if (chunk.getShort() != NONE) {
      return true;
    }
    if (copy.readFromCopy() != null) {
      throw new IllegalStateException("data follows the trailer of the COPY data");
    }
    return false;
  }

  private boolean isNull() {
    int length = chunk.getInt();
    return length == NONE;
  }

  private void demand(boolean isNull) {
    if (isNull) {
      throw new IllegalStateException("a column that is never null is null");
    }
  }

  long bigint() {
    demand(isNull());
    return chunk.getLong();
  }

  @Nullable Long bigintOrNull() {
    return isNull() ? null : (Long) chunk.getLong();
  }

  int integer() {
    demand(isNull());
    return chunk.getInt();
  }

  Optional<Integer> optionalInteger() {
    return isNull() ? Optional.empty() : Optional.of(chunk.getInt());
  }

  boolean bool() {
    demand(isNull());
    return chunk.get() != 0;
  }

  Optional<Boolean> optionalBool() {
    return isNull() ? Optional.empty() : Optional.of(chunk.get() != 0);
  }

  /// The value of a column in milliseconds.
  Optional<Duration> optionalMillis() {
    return isNull() ? Optional.empty() : Optional.of(Duration.ofMillis(chunk.getLong()));
  }

  /// A text that hardly another row has.
  String ownText() {
    int length = chunk.getInt();
    demand(length == NONE);
    String text = new String(chunk.array(), chunk.position(), length, StandardCharsets.UTF_8);
    chunk.position(chunk.position() + length);
    return text;
  }

  /// A text that other rows are likely to have, too.
  String text() {
    return Objects.requireNonNull(textOrNull(), "a column that is never null is null");
  }

  Optional<String> optionalText() {
    return Optional.ofNullable(textOrNull());
  }

  @Nullable String textOrNull() {
    int length = chunk.getInt();
    if (length == NONE) {
      return null;
    }
    int from = chunk.position();
    chunk.position(from + length);
    byte[] bytes = chunk.array();
    int hash = 1;
    for (int i = from; i < from + length; i++) {
      hash = 31 * hash + bytes[i];
    }
    int slot = (hash ^ (hash >>> 16)) & (REMEMBERED - 1);
    byte[] known = encoded[slot];
    if (known == null || !Arrays.equals(known, 0, known.length, bytes, from, from + length)) {
      encoded[slot] = Arrays.copyOfRange(bytes, from, from + length);
      texts[slot] = new String(bytes, from, length, StandardCharsets.UTF_8);
    }
    return texts[slot];
  }

  Instant time() {
    demand(isNull());
    return time(chunk.getLong());
  }

  Optional<Instant> optionalTime() {
    return isNull() ? Optional.empty() : Optional.of(time(chunk.getLong()));
  }

  /// Rows written together share one time, so the last value is reused.
  private Instant time(long micros) {
    if (micros != lastMicros) {
      lastMicros = micros;
      lastTime = BinaryArray.time(micros);
    }
    return lastTime;
  }

  List<String> texts() {
    int length = elements();
    List<String> all = new ArrayList<>(length);
    for (int i = 0; i < length; i++) {
      all.add(text());
    }
    return List.copyOf(all);
  }

  List<Integer> integers() {
    int length = elements();
    List<Integer> all = new ArrayList<>(length);
    for (int i = 0; i < length; i++) {
      all.add(integer());
    }
    return all;
  }

  List<Long> bigints() {
    int length = elements();
    List<Long> all = new ArrayList<>(length);
    for (int i = 0; i < length; i++) {
      all.add(bigint());
    }
    return all;
  }

  /// Leaves fields out.
  void skip(int fields) {
    for (int i = 0; i < fields; i++) {
      int length = chunk.getInt();
      chunk.position(chunk.position() + Math.max(0, length));
    }
  }

  /// The number of elements of an array without nulls.
  private int elements() {
    demand(isNull());
    int dimensions = chunk.getInt();
    // Whether there are nulls; reading one says so. Then the type of the elements.
    chunk.getInt();
    chunk.getInt();
    if (dimensions == 0) {
      return 0;
    }
    int length = chunk.getInt();
    chunk.getInt();
    return length;
  }

  /// The first of all values equal to this that rows had.
  <T> T shared(T value) {
    @SuppressWarnings("unchecked")
    T first = (T) shared.computeIfAbsent(value, same -> same);
    return first;
  }

  @Override
  public void close() throws SQLException {
    if (copy.isActive()) {
      copy.cancelCopy();
    }
  }
}
