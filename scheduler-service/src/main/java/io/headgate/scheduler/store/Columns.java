package io.headgate.scheduler.store;

import io.headgate.scheduler.runtime.Document;
import java.sql.Array;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// Rows turned on their side: one array for each column, so that a statement takes any number of
/// rows with `unnest` and the same text.
final class Columns<T> {
  private final List<T> rows;
  private final List<Column> columns = new ArrayList<>();

  /// One of them.
  static final class Column {
    private final String type;
    private final @Nullable Object[] values;

    private Column(String type, @Nullable Object[] values) {
      this.type = type;
      this.values = values;
    }

    Array toArray(Connection connection) throws SQLException {
      return connection.createArrayOf(type, values);
    }
  }

  Columns(Collection<T> rows) {
    this.rows = List.copyOf(rows);
  }

  List<Column> columns() {
    return List.copyOf(columns);
  }

  Columns<T> bigint(Function<T, @Nullable Long> value) {
    return add("bigint", value);
  }

  Columns<T> integer(Function<T, @Nullable Integer> value) {
    return add("integer", value);
  }

  Columns<T> text(Function<T, @Nullable String> value) {
    return add("text", value);
  }

  Columns<T> bool(Function<T, @Nullable Boolean> value) {
    return add("boolean", value);
  }

  Columns<T> bytes(Function<T, Document> value) {
    byte[][] values = new byte[rows.size()][];
    for (int i = 0; i < values.length; i++) {
      values[i] = value.apply(rows.get(i)).bytes();
    }
    columns.add(new Column("bytea", values));
    return this;
  }

  Columns<T> time(Function<T, @Nullable Instant> value) {
    return add("timestamptz", value);
  }

  /// A list in one cell; its statement casts the text to an array.
  Columns<T> list(Function<T, Collection<?>> value) {
    return add("text", row -> literal(value.apply(row)));
  }

  private Columns<T> add(String type, Function<T, ? extends @Nullable Object> value) {
    @Nullable Object[] values = new @Nullable Object[rows.size()];
    for (int i = 0; i < values.length; i++) {
      values[i] = value.apply(rows.get(i));
    }
    columns.add(new Column(type, values));
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
