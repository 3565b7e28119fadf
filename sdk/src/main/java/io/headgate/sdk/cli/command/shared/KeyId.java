package io.headgate.sdk.cli.command.shared;

import io.headgate.sdk.cli.output.UsageException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Parses the id of a key or of a join token.
public final class KeyId {
  private static final Pattern FORM =
      Pattern.compile("(?:(?:keys|joinTokens)/|hg_[a-z]+_)?([0-9a-f]{16})(?:_.*)?");

  private KeyId() {}

  /// Extracts the id from an id, a resource name or a whole secret. The secret part is dropped,
  /// because it belongs in no request.
  ///
  /// @param kind the expected kind: `key`
  /// @param command command that lists such ids
  public static String of(String text, String kind, String command) {
    Matcher id = FORM.matcher(text);
    if (!id.matches()) {
      throw new UsageException(
          "the argument is not the id of a " + kind,
          "BAD_ARGUMENT",
          "ids have 16 digits (0-9, a-f); list them: headgate " + command);
    }
    return id.group(1);
  }
}
