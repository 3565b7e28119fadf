package io.headgate.sdk.cli.output;

import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Descriptors.FieldDescriptor.JavaType;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import com.google.protobuf.util.JsonFormat;
import io.headgate.proto.scheduler.v1.Job;
import io.headgate.proto.scheduler.v1.JobSpec;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// Proto3 JSON of messages, and plain JSON of maps. Characters that a terminal interprets are
/// always escaped.
public final class JsonText {
  /// Fields that lists of jobs leave out: printing them as empty would claim a value.
  private static final Set<FieldDescriptor> LEFT_OUT_OF_LISTS =
      Stream.concat(
              Stream.of(
                      JobSpec.COMMAND_FIELD_NUMBER,
                      JobSpec.ENVIRONMENT_FIELD_NUMBER,
                      JobSpec.WORKING_DIRECTORY_FIELD_NUMBER,
                      JobSpec.DRAFT_FIELD_NUMBER)
                  .map(JobSpec.getDescriptor()::findFieldByNumber),
              Stream.of(Job.getDescriptor().findFieldByNumber(Job.WARNINGS_FIELD_NUMBER)))
          .collect(Collectors.toUnmodifiableSet());

  private static final Map<Descriptor, Set<FieldDescriptor>> ALWAYS = new ConcurrentHashMap<>();

  private JsonText() {}

  /// A message over several lines.
  public static String pretty(Message message) {
    return print(JsonFormat.printer(), message);
  }

  /// A message in one line.
  public static String line(Message message) {
    return print(JsonFormat.printer().omittingInsignificantWhitespace(), message);
  }

  private static String print(JsonFormat.Printer printer, Message message) {
    try {
      Set<FieldDescriptor> always =
          ALWAYS.computeIfAbsent(message.getDescriptorForType(), JsonText::always);
      return escapeControls(printer.includingDefaultValueFields(always).print(message));
    } catch (InvalidProtocolBufferException e) {
      throw new IllegalArgumentException("a message without JSON form", e);
    }
  }

  /// Prints fields with default values, too, so that scripts find them; except where default means
  /// "none".
  private static Set<FieldDescriptor> always(Descriptor type) {
    Set<FieldDescriptor> fields = new HashSet<>();
    collect(type, new HashSet<>(), fields);
    return fields;
  }

  private static void collect(Descriptor type, Set<Descriptor> seen, Set<FieldDescriptor> fields) {
    if (!seen.add(type)) {
      return;
    }
    for (FieldDescriptor field : type.getFields()) {
      boolean unspecified = field.getJavaType() == JavaType.ENUM && !field.isRepeated();
      if (!field.hasPresence() && !unspecified && !LEFT_OUT_OF_LISTS.contains(field)) {
        fields.add(field);
      }
      if (field.getJavaType() == JavaType.MESSAGE) {
        collect(field.getMessageType(), seen, fields);
      }
    }
  }

  /// Escapes characters that JSON allows but terminals interpret; they occur inside strings only.
  private static String escapeControls(String json) {
    if (json.chars().noneMatch(JsonText::isDelicate)) {
      return json;
    }
    StringBuilder escaped = new StringBuilder();
    json.chars()
        .forEach(c -> {
          if (isDelicate(c)) {
            escaped.append("\\u%04x".formatted(c));
          } else {
            escaped.append((char) c);
          }
        });
    return escaped.toString();
  }

  private static boolean isDelicate(int c) {
    return (c >= 0x7F && c <= 0x9F)
        || (c >= 0x202A && c <= 0x202E)
        || (c >= 0x2066 && c <= 0x2069)
        || c >= 0xFFFE;
  }

  /// Indents JSON text.
  static String indent(String json, int by) {
    return json.replace("\n", "\n" + " ".repeat(by));
  }

  /// Strings, numbers, booleans, maps and lists in one line; null values of maps are left out.
  public static String of(@Nullable Object value) {
    StringBuilder json = new StringBuilder();
    append(json, value);
    return json.toString();
  }

  private static void append(StringBuilder json, @Nullable Object value) {
    switch (value) {
      case null -> json.append("null");
      case Map<?, ?> map -> {
        List<String> members = new ArrayList<>();
        map.forEach((key, member) -> {
          if (member != null) {
            members.add(quoted(String.valueOf(key)) + ":" + of(member));
          }
        });
        json.append('{').append(String.join(",", members)).append('}');
      }
      case List<?> list ->
          json.append('[')
              .append(String.join(",", list.stream().map(JsonText::of).toList()))
              .append(']');
      case Number number -> json.append(number);
      case Boolean bool -> json.append(bool);
      default -> json.append(quoted(value.toString()));
    }
  }

  private static String quoted(String text) {
    StringBuilder quoted = new StringBuilder("\"");
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      switch (c) {
        case '"' -> quoted.append("\\\"");
        case '\\' -> quoted.append("\\\\");
        case '\n' -> quoted.append("\\n");
        case '\t' -> quoted.append("\\t");
        default -> {
          if (c < 0x20 || isDelicate(c)) {
            quoted.append("\\u%04x".formatted((int) c));
          } else {
            quoted.append(c);
          }
        }
      }
    }
    return quoted.append('"').toString();
  }
}
