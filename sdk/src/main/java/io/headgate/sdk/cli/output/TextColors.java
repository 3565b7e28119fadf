package io.headgate.sdk.cli.output;

import java.util.Map;

/// Colours text or leaves it plain. The flag decides first, then `NO_COLOR`, `CLICOLOR_FORCE` and
/// `CLICOLOR=0`, then whether the output is a terminal with colours.
public record TextColors(boolean colours) {
  /// Values of `--color`.
  public enum When {
    AUTO,
    ALWAYS,
    NEVER
  }

  public static TextColors decide(When flag, Map<String, String> variables, boolean terminal) {
    return new TextColors(
        switch (flag) {
          case ALWAYS -> true;
          case NEVER -> false;
          case AUTO -> automatic(variables, terminal);
        });
  }

  private static boolean automatic(Map<String, String> variables, boolean terminal) {
    if (!variables.getOrDefault("NO_COLOR", "").isEmpty()) {
      return false;
    }
    String force = variables.getOrDefault("CLICOLOR_FORCE", "");
    if (!force.isEmpty() && !force.equals("0")) {
      return true;
    }
    return terminal
        && !variables.getOrDefault("CLICOLOR", "1").equals("0")
        && !variables.getOrDefault("TERM", "").equals("dumb");
  }

  public String paint(Style style, String text) {
    return colours ? style.apply(text) : text;
  }
}
