package io.headgate.kit.seal;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/// Where a sealed value lies: table, column, and the key of the row. A value opens at its own place
/// only. The text names the place and nothing secret.
///
/// @param row values of the primary key, in its order
public record SealedPlace(String table, String column, List<String> row) {
  public SealedPlace {
    row = List.copyOf(row);
  }

  public static SealedPlace of(String table, String column, String... row) {
    return new SealedPlace(table, column, List.of(row));
  }

  /// The bytes that the ciphertext authenticates. Each part is preceded by its length, so that
  /// different places have different bytes.
  byte[] bound(String schema) {
    List<byte[]> parts = new ArrayList<>(3 + row.size());
    parts.add(schema.getBytes(StandardCharsets.UTF_8));
    parts.add(table.getBytes(StandardCharsets.UTF_8));
    parts.add(column.getBytes(StandardCharsets.UTF_8));
    row.forEach(value -> parts.add(value.getBytes(StandardCharsets.UTF_8)));
    int length = 0;
    for (byte[] part : parts) {
      length += Integer.BYTES + part.length;
    }
    ByteBuffer bytes = ByteBuffer.allocate(length);
    parts.forEach(part -> bytes.putInt(part.length).put(part));
    return bytes.array();
  }

  @Override
  public String toString() {
    return table + "." + column + " of " + String.join("/", row);
  }
}
