package io.headgate.sdk.cli.command.job;

import java.util.regex.Pattern;

/// Quotes words for a POSIX shell.
final class ShellQuoting {
  private static final Pattern PLAIN = Pattern.compile("[A-Za-z0-9_./:=@%+,-]+");

  private ShellQuoting() {}

  static String quoted(String word) {
    return PLAIN.matcher(word).matches() ? word : "'" + word.replace("'", "'\\''") + "'";
  }
}
