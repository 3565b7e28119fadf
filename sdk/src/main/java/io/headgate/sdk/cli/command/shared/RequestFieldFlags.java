package io.headgate.sdk.cli.command.shared;

import io.headgate.sdk.cli.error.ErrorFrame;
import io.headgate.sdk.model.HeadgateException;
import java.util.Map;

/// Maps fields of a request to flags, so that refusals name flags.
///
/// @param flags flags by the beginning of a field's path
public record RequestFieldFlags(Map<String, String> flags) {
  public RequestFieldFlags {
    flags = Map.copyOf(flags);
  }

  /// `--priority: must be …`. The server's message begins with the name of the field.
  public ErrorFrame in(ErrorFrame frame, HeadgateException refusal) {
    var fields = refusal.failure().violations().stream().map(it -> it.field()).toList();
    if (fields.isEmpty()) {
      return frame;
    }
    String first = fields.getFirst();
    ErrorFrame named =
        frame.message().startsWith(first + ": ")
            ? frame.message(flag(first) + frame.message().substring(first.length()))
            : frame;
    return named.where(fields.stream().map(this::flag).toArray(String[]::new));
  }

  private String flag(String field) {
    return flags.entrySet().stream()
        .filter(entry -> field.startsWith(entry.getKey()))
        .map(Map.Entry::getValue)
        .findFirst()
        .orElse("field " + field);
  }
}
