package io.headgate.agent.process;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The `key=value` lines that agent and supervisor exchange.
final class KeyValues {
  private KeyValues() {}

  static Map<String, String> read(Path file) throws IOException {
    Map<String, String> values = new LinkedHashMap<>();
    for (String line : Files.readAllLines(file, StandardCharsets.UTF_8)) {
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
