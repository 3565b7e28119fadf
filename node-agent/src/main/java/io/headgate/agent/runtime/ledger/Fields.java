package io.headgate.agent.runtime.ledger;

import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/// The form of the agent's records on disk: named fields, each with any number of values, as plain
/// text that an operator can read.
///
/// Unknown fields are ignored and absent fields have defaults, so that adjacent versions read each
/// other's records. A damaged record is refused, never skipped.
final class Fields {
  private final Map<String, List<String>> values = new LinkedHashMap<>();

  /// A record that cannot be read.
  static final class DamagedException extends RuntimeException {
    private static final long serialVersionUID = 1;

    DamagedException(String message) {
      super(message);
    }
  }

  Fields put(String name, Object value) {
    values.computeIfAbsent(name, _ -> new ArrayList<>()).add(value.toString());
    return this;
  }

  Fields putIfPresent(String name, Optional<?> value) {
    value.ifPresent(present -> put(name, present));
    return this;
  }

  String require(String name) {
    return find(name).orElseThrow(() -> new DamagedException("field '" + name + "' is missing"));
  }

  Optional<String> find(String name) {
    return all(name).stream().findFirst();
  }

  List<String> all(String name) {
    return values.getOrDefault(name, List.of());
  }

  long number(String name) {
    return parse(name, require(name), Long::parseLong);
  }

  Optional<Duration> duration(String name) {
    return find(name).map(text -> parse(name, text, Duration::parse));
  }

  Optional<Instant> instant(String name) {
    return find(name).map(text -> parse(name, text, Instant::parse));
  }

  <E extends Enum<E>> E constant(String name, Class<E> type) {
    return parse(name, require(name), text -> Enum.valueOf(type, text));
  }

  <T> T parse(String name, String text, Function<String, T> reader) {
    try {
      return reader.apply(text);
    } catch (RuntimeException e) {
      throw new DamagedException("field '" + name + "' is '" + text + "': " + e.getMessage());
    }
  }

  /// One line `name=value` per field.
  String toLines() {
    return join("\n") + "\n";
  }

  /// All fields on one line.
  String toLine() {
    return join("&");
  }

  static Fields ofLines(String text) {
    return of(text.split("\n", -1));
  }

  static Fields ofLine(String text) {
    return of(text.split("&", -1));
  }

  private static Fields of(String[] parts) {
    Fields fields = new Fields();
    for (String part : parts) {
      if (part.isEmpty()) {
        continue;
      }
      int equals = part.indexOf('=');
      if (equals <= 0) {
        throw new DamagedException("'" + part + "' is not name=value");
      }
      fields.put(
          part.substring(0, equals),
          fields.parse(
              part.substring(0, equals),
              part.substring(equals + 1),
              text -> URLDecoder.decode(text, StandardCharsets.UTF_8)));
    }
    return fields;
  }

  private String join(String separator) {
    List<String> parts = new ArrayList<>();
    values.forEach((name, list) ->
        list.forEach(
            value -> parts.add(name + "=" + URLEncoder.encode(value, StandardCharsets.UTF_8))));
    return String.join(separator, parts);
  }
}
