package io.headgate.sdk.cli.output;

/// The meaning of a piece of text. Colour repeats the meaning and never carries it alone.
public enum Style {
  PLAIN(""),
  BOLD("1"),
  DIM("2"),
  GOOD("32"),
  WAITING("33"),
  BAD("31"),
  ERROR("1;31"),
  HEADING("1"),
  SELECTED("7"),
  ADDED("32"),
  CHANGED("33"),
  REMOVED("31");

  private final String code;

  Style(String code) {
    this.code = code;
  }

  String apply(String text) {
    return code.isEmpty() || text.isEmpty() ? text : "\u001b[" + code + "m" + text + "\u001b[0m";
  }
}
