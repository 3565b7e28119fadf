package io.headgate.sdk.cli.output;

/// Removes characters with which text could control a terminal: control characters, and invisible
/// ones that change the direction of writing.
public final class PrintableText {
  private PrintableText() {}

  /// One line, safe to print. Line ends and tabs become spaces.
  public static String line(String text) {
    if (text.codePoints().allMatch(PrintableText::isHarmless)) {
      return text;
    }
    StringBuilder clean = new StringBuilder();
    text.codePoints()
        .forEach(point -> {
          if (point == '\n' || point == '\t') {
            clean.append(' ');
          } else if (isHarmless(point)) {
            clean.appendCodePoint(point);
          }
        });
    return clean.toString();
  }

  private static boolean isHarmless(int point) {
    return !Character.isISOControl(point)
        && !(point >= 0x202A && point <= 0x202E)
        && !(point >= 0x2066 && point <= 0x2069)
        && point != 0x2028
        && point != 0x2029
        && point != 0xFEFF;
  }
}
