package io.headgate.scheduler.store;

import java.sql.Array;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// Rows turned on their side: one array for each column, so that a statement takes any number of
/// rows with `unnest` and the same text.
final class Columns<T> {
  private final List<T> rows;
  private final List<Column> columns = new ArrayList<>();

  /// One of them.
  static final class Column {
    private final BinaryArray array;

    private Column(BinaryArray array) {
      this.array = array;
    }

    Array toArray(Connection connection) throws SQLException {
      return array.toArray(connection);
    }
  }

  Columns(Collection<T> rows) {
    this.rows = List.copyOf(rows);
  }

  List<Column> columns() {
    return List.copyOf(columns);
  }

  Columns<T> bigint(Function<T, @Nullable Long> value) {
    return add(BinaryArray.Type.BIGINT, value, (array, each) -> array.putLong(each));
  }

  Columns<T> integer(Function<T, @Nullable Integer> value) {
    return add(BinaryArray.Type.INTEGER, value, (array, each) -> array.putInt(each));
  }

  Columns<T> text(Function<T, @Nullable String> value) {
    return add(BinaryArray.Type.TEXT, value, BinaryArray::putText);
  }

  Columns<T> bool(Function<T, @Nullable Boolean> value) {
    return add(BinaryArray.Type.BOOLEAN, value, (array, each) -> array.putBoolean(each));
  }

  Columns<T> bytes(Function<T, byte[]> value) {
    return add(BinaryArray.Type.BYTEA, value, BinaryArray::putBytes);
  }

  Columns<T> time(Function<T, @Nullable Instant> value) {
    return add(BinaryArray.Type.TIMESTAMPTZ, value, BinaryArray::putTime);
  }

  /// A list in one cell; its statement casts the text to an array.
  Columns<T> list(Function<T, Collection<?>> value) {
    return text(row -> literal(value.apply(row)));
  }

  private <V> Columns<T> add(
      BinaryArray.Type type,
      Function<T, ? extends @Nullable V> value,
      BiConsumer<BinaryArray, V> put) {
    BinaryArray array = new BinaryArray(type, rows.size());
    for (T row : rows) {
      @Nullable V each = value.apply(row);
      if (each == null) {
        array.putNull();
      } else {
        put.accept(array, each);
      }
    }
    columns.add(new Column(array));
    return this;
  }

  static <V> @Nullable V orNull(Optional<V> value) {
    return value.orElse(null);
  }

  /// An array as PostgreSQL writes it: `{"a","b"}`.
  static String literal(Collection<?> values) {
    StringBuilder text = new StringBuilder("{");
    for (Object value : values) {
      if (text.length() > 1) {
        text.append(',');
      }
      text.append('"');
      String string = String.valueOf(value);
      for (int i = 0; i < string.length(); i++) {
        char each = string.charAt(i);
        if (each == '"' || each == '\\') {
          text.append('\\');
        }
        text.append(each);
      }
      text.append('"');
    }
    return text.append('}').toString();
  }
}
