package io.headgate.kit.failure;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// Shortens a refusal until its status fits into the trailers of a call. Clients accept 8 KiB of
/// trailers by default, and show a larger answer as an INTERNAL without a word.
///
/// The trailers hold the message twice: percent-encoded, and with all details in base64.
final class StatusBound {
  /// Wrong fields that an answer names.
  static final int MOST_VIOLATIONS = 20;

  /// Metadata with the number of wrong fields that the answer does not name.
  static final String OMITTED = "omittedViolations";

  private static final int MESSAGE_BYTES = 1000;
  private static final int METADATA_BYTES = 200;
  private static final int FIELD_BYTES = 200;
  private static final int DESCRIPTION_BYTES = 400;

  /// All bytes of message, metadata and violations: 4/3 of it in base64, and the message again.
  private static final int DETAIL_BYTES = 3600;

  private static final String CUT = "…";

  private StatusBound() {}

  static Refusal fit(Refusal refusal) {
    String message = encoded(refusal.message());
    Map<String, String> metadata = new LinkedHashMap<>();
    int left = DETAIL_BYTES - bytes(message);
    for (Map.Entry<String, String> entry : refusal.metadata().entrySet()) {
      String value = cut(entry.getValue(), METADATA_BYTES);
      left -= bytes(entry.getKey()) + bytes(value);
      metadata.put(entry.getKey(), value);
    }
    List<Refusal.FieldViolation> violations = new ArrayList<>();
    for (Refusal.FieldViolation each : refusal.violations()) {
      Refusal.FieldViolation violation =
          new Refusal.FieldViolation(
              cut(each.field(), FIELD_BYTES),
              cut(each.description(), DESCRIPTION_BYTES),
              each.reason());
      left -= bytes(violation.field() + violation.description() + violation.reason());
      // The first is always named; metadata is short and has few entries.
      if (violations.size() == MOST_VIOLATIONS || (left < 0 && !violations.isEmpty())) {
        break;
      }
      violations.add(violation);
    }
    int omitted = refusal.violations().size() - violations.size();
    if (omitted > 0) {
      metadata.merge(OMITTED, Integer.toString(omitted), StatusBound::sum);
    }
    return new Refusal(
        refusal.code(),
        refusal.reason(),
        message,
        violations,
        metadata,
        refusal.retryDelay().orElse(null));
  }

  /// A refusal that another service shortened already counts on.
  private static String sum(String before, String now) {
    try {
      return Integer.toString(Math.addExact(Integer.parseInt(before), Integer.parseInt(now)));
    } catch (NumberFormatException | ArithmeticException e) {
      return now;
    }
  }

  /// The beginning of `message` that is short enough when it is percent-encoded: three letters for
  /// each byte beyond printable ASCII.
  private static String encoded(String message) {
    int length = 0;
    for (int i = 0; i < message.length(); ) {
      int letter = message.codePointAt(i);
      length += letter >= ' ' && letter < 0x7f && letter != '%' ? 1 : 3 * utf8(letter);
      if (length > MESSAGE_BYTES) {
        return message.substring(0, i) + CUT;
      }
      i += Character.charCount(letter);
    }
    return message;
  }

  private static String cut(String text, int most) {
    int length = 0;
    for (int i = 0; i < text.length(); ) {
      int letter = text.codePointAt(i);
      length += utf8(letter);
      if (length > most) {
        return text.substring(0, i) + CUT;
      }
      i += Character.charCount(letter);
    }
    return text;
  }

  private static int utf8(int letter) {
    return letter < 0x80 ? 1 : letter < 0x800 ? 2 : letter < 0x10000 ? 3 : 4;
  }

  private static int bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8).length;
  }
}
