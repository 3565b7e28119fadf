package io.headgate.sdk.cli.command;

import java.util.regex.Pattern;

/// Words as a shell would have to be given them.
final class Shell {
  private static final Pattern PLAIN = Pattern.compile("[A-Za-z0-9_./:=@%+,-]+");

  private Shell() {}

  static String quoted(String word) {
    return PLAIN.matcher(word).matches() ? word : "'" + word.replace("'", "'\\''") + "'";
  }
}
