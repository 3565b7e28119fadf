package io.headgate.deploy.grafana;

import java.util.LinkedHashMap;
import java.util.Map;

/// The fields of a JSON object in the order in which they were put.
final class JsonFields {
  private final Map<String, Object> fields = new LinkedHashMap<>();

  static JsonFields of(String name, Object value) {
    return new JsonFields().put(name, value);
  }

  JsonFields put(String name, Object value) {
    fields.put(name, value);
    return this;
  }

  JsonFields putIf(boolean condition, String name, Object value) {
    return condition ? put(name, value) : this;
  }

  Map<String, Object> map() {
    return fields;
  }
}
