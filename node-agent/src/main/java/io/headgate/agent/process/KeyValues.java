package io.headgate.agent.process;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The `key=value` lines that agent and supervisor exchange, in small files of an attempt.
///
/// A job may touch these files (until it has a user of its own). The reader therefore opens nothing
/// but a plain file and reads no more than a bound. A forged file causes an error and never harms
/// the reader.
final class KeyValues {
  private static final int MAX_BYTES = 64 << 10;

  private KeyValues() {}

  /// Reads a file of the attempt.
  ///
  /// @throws java.nio.file.NoSuchFileException when it is not there
  static Map<String, String> read(Path attempt, String name) throws IOException {
    ByteBuffer bytes = ByteBuffer.allocate(MAX_BYTES);
    try (PinnedDirectory directory = PinnedDirectory.open(attempt);
        FileChannel file = directory.openFile(name)) {
      int read = 0;
      while (read >= 0 && bytes.hasRemaining()) {
        read = file.read(bytes);
      }
    }
    Map<String, String> values = new LinkedHashMap<>();
    for (String line :
        new String(bytes.array(), 0, bytes.position(), StandardCharsets.UTF_8).split("\n", -1)) {
      int equals = line.indexOf('=');
      if (equals > 0) {
        values.put(line.substring(0, equals), line.substring(equals + 1));
      }
    }
    return values;
  }

  static String require(Map<String, String> values, String key) throws IOException {
    @Nullable String value = values.get(key);
    if (value == null) {
      throw new IOException("'" + key + "' is missing");
    }
    return value;
  }
}
