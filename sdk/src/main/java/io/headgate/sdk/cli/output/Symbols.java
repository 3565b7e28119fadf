package io.headgate.sdk.cli.output;

import java.util.Locale;
import java.util.Map;

/// Symbols beyond ASCII, and their replacements for locales that cannot show them.
public record Symbols(String dot, String ellipsis, String times) {
  public static final Symbols UNICODE = new Symbols("·", "…", "×");
  public static final Symbols ASCII = new Symbols("-", "...", "x");

  /// Chooses by the variables of the locale; `HEADGATE_ASCII=1` overrides them.
  public static Symbols decide(Map<String, String> variables) {
    if (!variables.getOrDefault("HEADGATE_ASCII", "").isEmpty()) {
      return ASCII;
    }
    for (String name : new String[] {"LC_ALL", "LC_CTYPE", "LANG"}) {
      String locale = variables.getOrDefault(name, "");
      if (!locale.isEmpty()) {
        String lower = locale.toLowerCase(Locale.ROOT);
        return lower.contains("utf-8") || lower.contains("utf8") ? UNICODE : ASCII;
      }
    }
    return ASCII;
  }
}
