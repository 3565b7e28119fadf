package io.headgate.kit.config;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// Every key of a process's configuration, from the records that {@link ConfigLoader} reads.
///
/// @param sections the keys by the record that holds them, in the order of the components
/// @param example a commented file; empty if the process has none
public record SettingsReference(List<Section> sections, String example) {
  private static final String REQUIRED = "required";
  private static final String EXAMPLE = "settings-example.yaml";

  public SettingsReference {
    sections = List.copyOf(sections);
  }

  /// The keys of one record.
  ///
  /// @param path where the record stands in the file, such as `api.tls`; empty: the top
  public record Section(String path, String meaning, List<Row> rows) {
    public Section {
      rows = List.copyOf(rows);
    }
  }

  /// One key.
  ///
  /// @param key its full path, such as `api.port`
  /// @param variable the environment variable that overrides it
  /// @param defaultText the default, `required`, or empty for none
  /// @param bound the accepted values; empty when the type says it all
  public record Row(
      String key, String variable, String type, String defaultText, String bound, String meaning) {

    /// Whether the process does not start without it.
    public boolean isRequired() {
      return defaultText.equals(REQUIRED);
    }
  }

  /// The keys of `type`, and the example that lies beside its class as `settings-example.yaml`.
  ///
  /// @throws IllegalStateException if a component has no {@link Setting}
  public static SettingsReference of(Class<? extends Record> type) {
    List<Section> sections = new ArrayList<>();
    add(sections, "", "", type, RecordKeys.defaults(type), REQUIRED);
    return new SettingsReference(sections, example(type));
  }

  private static String example(Class<?> type) {
    try (InputStream in = type.getResourceAsStream(EXAMPLE)) {
      return in == null ? "" : new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read " + EXAMPLE + " of " + type, e);
    }
  }

  /// How values of each type are written, by type.
  public static SequencedMap<String, String> types() {
    SequencedMap<String, String> types = new LinkedHashMap<>();
    types.put("duration", "250ms, 90s, 15m, 2h, 7d or 1h30m");
    types.put("size", "16GiB, 512MiB, 80GB or a number of bytes");
    types.put("URL", "http://host:port or https://host:port");
    types.put("true or false", "also yes or no, on or off");
    types.put("secret", "text; the variable with _FILE at its end names a file that holds it");
    types.put("list", "[a, b] in the file; a,b in the variable");
    return Collections.unmodifiableSequencedMap(types);
  }

  /// The keys that have no default, one a line.
  public String required() {
    return sections.stream()
        .flatMap(section -> section.rows().stream())
        .filter(Row::isRequired)
        .map(row -> "  %-34s %s%n".formatted(row.key(), row.meaning()))
        .collect(Collectors.joining());
  }

  /// All keys for a terminal.
  public String text() {
    StringBuilder text = new StringBuilder("How values are written\n\n");
    types().forEach((type, form) -> text.append("  %-14s %s%n".formatted(type, form)));
    for (Section section : sections) {
      if (section.rows().isEmpty()) {
        continue;
      }
      text.append('\n');
      if (!section.path().isEmpty()) {
        text.append("%s%n  %s%n%n".formatted(section.path(), section.meaning()));
      }
      section.rows().forEach(row -> text.append(text(row)));
    }
    if (!example.isEmpty()) {
      text.append("\nExample\n\n").append(example.indent(2));
    }
    return text.toString();
  }

  private static String text(Row row) {
    String defaultText =
        row.defaultText().isEmpty()
            ? ""
            : row.defaultText().startsWith(REQUIRED)
                ? ", " + row.defaultText()
                : ", default " + row.defaultText();
    String bound = row.bound().isEmpty() ? "" : "; " + row.bound();
    return "  %s%n      %s%s%s%n      %s%n      %s%n"
        .formatted(row.key(), row.type(), defaultText, bound, row.meaning(), row.variable());
  }

  /// Adds the section of `type` and those of the records in it.
  ///
  /// @param defaults the value whose components are the defaults; null: none
  /// @param required what stands for the default of a key that has none
  private static void add(
      List<Section> sections,
      String path,
      String meaning,
      Class<?> type,
      @Nullable Object defaults,
      String required) {
    List<Row> rows = new ArrayList<>();
    int place = sections.size();
    for (RecordComponent component : type.getRecordComponents()) {
      Setting setting = RecordKeys.setting(component);
      String key = RecordKeys.path(path, RecordKeys.key(component));
      Object fallback = defaults == null ? null : RecordKeys.value(component, defaults);
      Type nested = withoutOptional(component.getGenericType());
      if (RecordKeys.isRecord(nested)) {
        Class<?> record = (Class<?>) nested;
        Object inner = fallback instanceof Optional<?> given ? given.orElse(null) : fallback;
        add(
            sections,
            key,
            setting.meaning(),
            record,
            inner == null ? RecordKeys.defaults(record) : inner,
            RecordKeys.isRecord(component.getGenericType())
                ? required
                : "required if `" + key + "` is given");
      } else {
        rows.add(row(component, setting, key, fallback, required));
      }
    }
    sections.add(place, new Section(path, meaning, rows));
  }

  private static Row row(
      RecordComponent component,
      Setting setting,
      String key,
      @Nullable Object fallback,
      String required) {
    Type type = component.getGenericType();
    String words = setting.bound().isEmpty() ? words(withoutOptional(type)) : setting.bound();
    return new Row(
        key,
        RecordKeys.variable(key),
        name(withoutOptional(type)),
        defaultText(component, setting, fallback, required),
        words,
        setting.meaning());
  }

  private static String defaultText(
      RecordComponent component, Setting setting, @Nullable Object fallback, String required) {
    if (!setting.absent().isEmpty()) {
      return setting.absent();
    }
    Default annotation = component.getAnnotation(Default.class);
    if (annotation != null) {
      return annotation.value();
    }
    if (fallback != null) {
      return written(fallback);
    }
    return component.getGenericType() instanceof ParameterizedType ? "" : required;
  }

  private static Type withoutOptional(Type type) {
    return type instanceof ParameterizedType generic && generic.getRawType() == Optional.class
        ? generic.getActualTypeArguments()[0]
        : type;
  }

  private static String name(Type type) {
    if (type instanceof ParameterizedType generic) {
      Type last = generic.getActualTypeArguments()[generic.getActualTypeArguments().length - 1];
      if (RecordKeys.isRecord(last)) {
        throw new IllegalStateException("the reference cannot show a list of records: " + type);
      }
      return (generic.getRawType() == Map.class ? "mapping to " : "list of ") + name(last);
    }
    Class<?> raw = (Class<?>) type;
    if (raw.isEnum()) {
      return "word";
    } else if (raw == int.class || raw == Integer.class || raw == long.class || raw == Long.class) {
      return "whole number";
    } else if (raw == double.class || raw == Double.class) {
      return "number";
    } else if (raw == boolean.class || raw == Boolean.class) {
      return "true or false";
    } else if (raw == Duration.class) {
      return "duration";
    } else if (raw == ByteSize.class) {
      return "size";
    } else if (raw == Path.class) {
      return "path";
    } else if (raw == URI.class) {
      return "URL";
    } else if (raw == Secret.class) {
      return "secret";
    }
    return "text";
  }

  /// The words of an enumeration; empty for other types.
  private static String words(Type type) {
    return type instanceof Class<?> raw && raw.isEnum()
        ? Arrays.stream(raw.getEnumConstants())
            .map(SettingsReference::written)
            .collect(Collectors.joining(", "))
        : "";
  }

  /// A value as a file would have it; empty for an absent one.
  private static String written(Object value) {
    return switch (value) {
      case Optional<?> optional -> optional.map(SettingsReference::written).orElse("");
      case List<?> list ->
          list.stream().map(SettingsReference::written).collect(Collectors.joining(", "));
      case Enum<?> constant -> Scalars.word(constant);
      case Duration duration -> Durations.format(duration);
      default -> String.valueOf(value);
    };
  }
}
