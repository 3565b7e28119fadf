package io.headgate.sdk.cli.output;

/// Text that is broken between words where it is wider than a screen.
public final class WrappedText {
  private WrappedText() {}

  /// Further parts of a line begin two columns to the right of its beginning.
  ///
  /// @param width of the screen; 0: there is none, so nothing is broken
  public static String of(String text, int width) {
    if (width <= 0) {
      return text;
    }
    StringBuilder wrapped = new StringBuilder();
    for (String line : text.split("\n", -1)) {
      wrapped.append(wrapped.isEmpty() ? "" : "\n").append(line(line, width));
    }
    return wrapped.toString();
  }

  /// A line with colours stays whole: their marks must not be torn.
  private static String line(String line, int width) {
    if (CellWidth.of(line) <= width || line.indexOf('\u001b') >= 0) {
      return line;
    }
    String indent = " ".repeat(Math.min(line.length() - line.stripLeading().length(), width / 2));
    StringBuilder wrapped = new StringBuilder();
    String rest = line;
    while (CellWidth.of(rest) > width) {
      int end = rest.lastIndexOf(' ', width);
      if (end <= indent.length() + 2) {
        // A word that is wider than the screen, such as a path, stays whole.
        end = rest.indexOf(' ', indent.length() + 2);
      }
      if (end < 0) {
        break;
      }
      wrapped.append(rest.substring(0, end).stripTrailing()).append('\n');
      rest = indent + "  " + rest.substring(end).strip();
    }
    return wrapped.append(rest).toString();
  }
}
