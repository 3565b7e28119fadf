package io.headgate.sdk.cli.command.shared;

import io.headgate.sdk.cli.output.UsageException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// The id of a key or of a join token, as a user names it.
public final class KeyId {
  private static final Pattern FORM =
      Pattern.compile("(?:(?:keys|joinTokens)/|hg_[a-z]+_)?([0-9a-f]{16})(?:_.*)?");

  private KeyId() {}

  /// Of one that somebody found, the id alone: the rest is a secret and belongs in no request.
  ///
  /// @param kind what it should be: `key`
  /// @param command that lists them
  public static String of(String text, String kind, String command) {
    Matcher id = FORM.matcher(text);
    if (!id.matches()) {
      throw new UsageException(
          "that is no id of a " + kind,
          "BAD_ARGUMENT",
          "16 digits (0-9, a-f), as headgate " + command + " shows them");
    }
    return id.group(1);
  }
}
