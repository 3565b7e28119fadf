package io.headgate.deploy.observe;

import java.util.List;
import java.util.Map;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

/// A value of a JSON text, read by the names of its parts. An absent part reads as empty.
public record Json(Object value) {
  private static final int LARGEST = 100_000_000;

  public static Json read(String text) {
    Object value =
        new Load(LoadSettings.builder().setCodePointLimit(LARGEST).build()).loadFromString(text);
    return new Json(value == null ? Map.of() : value);
  }

  public Json at(String... names) {
    Object at = value;
    for (String name : names) {
      at = at instanceof Map<?, ?> map && map.get(name) != null ? map.get(name) : Map.of();
    }
    return new Json(at);
  }

  public List<Json> list() {
    return value instanceof List<?> list ? list.stream().map(Json::new).toList() : List.of();
  }

  public Map<?, ?> map() {
    return value instanceof Map<?, ?> map ? map : Map.of();
  }

  /// Whether there is nothing.
  public boolean isEmpty() {
    return value instanceof Map<?, ?> map && map.isEmpty();
  }

  public String text() {
    return isEmpty() ? "" : String.valueOf(value);
  }

  public double number(double otherwise) {
    return value instanceof Number number ? number.doubleValue() : otherwise;
  }
}
