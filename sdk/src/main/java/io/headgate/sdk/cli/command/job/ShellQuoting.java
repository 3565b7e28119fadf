package io.headgate.sdk.cli.command.job;

import java.util.regex.Pattern;

/// Words as a shell would have to be given them.
final class ShellQuoting {
  private static final Pattern PLAIN = Pattern.compile("[A-Za-z0-9_./:=@%+,-]+");

  private ShellQuoting() {}

  static String quoted(String word) {
    return PLAIN.matcher(word).matches() ? word : "'" + word.replace("'", "'\\''") + "'";
  }
}
