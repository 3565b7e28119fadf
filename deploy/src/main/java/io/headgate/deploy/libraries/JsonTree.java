package io.headgate.deploy.libraries;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;

/// A value of a JSON document. JSON is YAML 1.2, whose parser the product has. A value that is
/// absent or of another kind is empty.
record JsonTree(@Nullable Object value) {
  private static final int LONGEST = 64 << 20;

  /// @throws IllegalArgumentException when the text is no JSON
  static JsonTree of(String text) {
    LoadSettings settings =
        LoadSettings.builder().setCodePointLimit(LONGEST).setMaxAliasesForCollections(0).build();
    try {
      return new JsonTree(new Load(settings).loadFromString(text));
    } catch (YamlEngineException e) {
      throw new IllegalArgumentException("no JSON: " + e.getMessage(), e);
    }
  }

  JsonTree get(String key) {
    return new JsonTree(value instanceof Map<?, ?> map ? map.get(key) : null);
  }

  List<JsonTree> items() {
    return value instanceof List<?> list ? list.stream().map(JsonTree::new).toList() : List.of();
  }

  String text() {
    return value == null || value instanceof Map || value instanceof List ? "" : value.toString();
  }

  boolean isPresent() {
    return value != null;
  }
}
