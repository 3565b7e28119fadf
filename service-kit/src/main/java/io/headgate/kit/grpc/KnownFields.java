package io.headgate.kit.grpc;

import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Descriptors.FieldDescriptor.JavaType;
import com.google.protobuf.InvalidProtocolBufferException;
import io.headgate.kit.failure.Refusal;
import io.headgate.type.NearestName;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// The fields that requests may have in JSON, for answers to those that have others.
final class KnownFields {
  /// The words of the reader of JSON.
  private static final Pattern UNKNOWN =
      Pattern.compile("Cannot find field: (.*) in message (\\S+)", Pattern.DOTALL);

  private static final int LONGEST = 64;

  private final Map<String, List<String>> names = new HashMap<>();

  KnownFields(List<Descriptor> requests) {
    requests.forEach(this::add);
  }

  private void add(Descriptor message) {
    if (names.containsKey(message.getFullName())) {
      return;
    }
    names.put(
        message.getFullName(),
        message.getFields().stream().map(FieldDescriptor::getJsonName).toList());
    message.getFields().stream()
        .filter(field -> field.getJavaType() == JavaType.MESSAGE)
        .forEach(field -> add(field.getMessageType()));
  }

  /// The refusal of a field that its message lacks; empty: the failure has another cause.
  Optional<Refusal> unknown(Throwable failure) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (cause instanceof InvalidProtocolBufferException && cause.getMessage() != null) {
        Matcher words = UNKNOWN.matcher(cause.getMessage());
        if (words.find()) {
          return Optional.of(unknown(words.group(1), words.group(2)));
        }
      }
    }
    return Optional.empty();
  }

  private Refusal unknown(String given, String message) {
    String field = given.length() > LONGEST ? given.substring(0, LONGEST) + "…" : given;
    List<String> known = names.getOrDefault(message, List.of());
    String hint =
        NearestName.suggestion(given, known).orElse("its fields: " + String.join(", ", known));
    String text =
        "%s has no field \"%s\": %s"
            .formatted(message.substring(message.lastIndexOf('.') + 1), field, hint);
    return Refusal.invalid("MALFORMED_REQUEST", text).withViolation(field, text);
  }
}
