package io.headgate.kit.grpc;

import build.buf.protovalidate.Violation;
import com.google.protobuf.Descriptors.EnumDescriptor;
import com.google.protobuf.Descriptors.EnumValueDescriptor;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// Rules of the contract in words, so that no user must read a regular expression or the number of
/// an enumeration's value to correct a field.
final class PatternWords {
  private static final String PATTERN_RULE = "string.pattern";

  /// The contract excludes only the value 0 with it, which means that the field is not set.
  private static final String ABSENT_RULE = "enum.not_in";

  /// Characters of a wrong value that a message shows.
  private static final int MAX_SHOWN = 80;

  private static final Map<String, String> WORDS =
      Map.ofEntries(
          Map.entry("^[a-z]([a-z0-9-]{0,61}[a-z0-9])?$", name(63)),
          Map.entry("^([a-z]([a-z0-9-]{0,61}[a-z0-9])?)?$", name(63)),
          Map.entry("^([a-z]([a-z0-9-]{0,50}[a-z0-9])?)?$", name(52)),
          Map.entry(
              "^[A-Za-z_][A-Za-z0-9_]*$",
              "letters, digits and underscores, not starting with a digit"),
          Map.entry("^[!-~]{0,64}$", "at most 64 visible ASCII characters without spaces"),
          Map.entry("^[!-~]{1,64}$", "1 to 64 visible ASCII characters without spaces"),
          Map.entry("^[0-9a-f]{64}$", "64 digits of a SHA-256: 0-9 and a-f"),
          Map.entry(
              "^([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})?$",
              "a UUID of lower-case digits: 8-4-4-4-12 of them"),
          Map.entry(
              "^([0-9]{1,9}([.][0-9]{1,6})?)?$", "a price as 1.20, with at most six decimals"),
          Map.entry("^([A-Z]{3})?$", "an ISO 4217 code as USD or EUR"),
          Map.entry("^[A-Za-z0-9.:%_-]*$", "an IP address or a host name"));

  private PatternWords() {}

  /// The pattern in words; null if the pattern has none.
  static @Nullable String of(String pattern) {
    return WORDS.get(pattern);
  }

  /// A message with the fault and the accepted form.
  static String message(Violation violation) {
    String standard = violation.toProto().getMessage();
    Violation.FieldValue rule = violation.getRuleValue();
    Violation.FieldValue field = violation.getFieldValue();
    if (violation.toProto().getRuleId().equals(ABSENT_RULE) && field != null) {
      return "is not set: use one of " + values(field.getDescriptor().getEnumType());
    }
    if (!violation.toProto().getRuleId().equals(PATTERN_RULE) || rule == null || field == null) {
      return standard;
    }
    String words = of(String.valueOf(rule.getValue()));
    return words == null ? standard : shown(field.getValue()) + " is wrong: use " + words;
  }

  private static String values(EnumDescriptor type) {
    return type.getValues().stream()
        .filter(value -> value.getNumber() != 0)
        .map(EnumValueDescriptor::getName)
        .collect(Collectors.joining(", "));
  }

  private static String shown(@Nullable Object value) {
    String text = String.valueOf(value);
    return "\"" + (text.length() <= MAX_SHOWN ? text : text.substring(0, MAX_SHOWN) + "…") + "\"";
  }

  private static String name(int most) {
    return "1 to "
        + most
        + " lower-case letters, digits and hyphens, starting with a letter and not ending with a"
        + " hyphen";
  }
}
