package io.headgate.sdk.cli.command.shared;

import java.util.regex.Pattern;

/// Quotes words for a POSIX shell.
public final class ShellWords {
  private static final Pattern PLAIN = Pattern.compile("[A-Za-z0-9_./:=@%+,-]+");

  private ShellWords() {}

  public static String quoted(String word) {
    return PLAIN.matcher(word).matches() ? word : "'" + word.replace("'", "'\\''") + "'";
  }
}
