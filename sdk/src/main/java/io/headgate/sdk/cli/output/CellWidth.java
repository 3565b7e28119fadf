package io.headgate.sdk.cli.output;

/// Widths of text as a terminal shows it: wide characters take two cells, combining ones none.
public final class CellWidth {
  // Begin and end of each block of wide characters, in order.
  private static final int[] WIDE = {
    0x1100, 0x115F, 0x2E80, 0x303E, 0x3041, 0x33FF, 0x3400, 0x4DBF, 0x4E00, 0x9FFF, 0xA000, 0xA4CF,
    0xAC00, 0xD7A3, 0xF900, 0xFAFF, 0xFE30, 0xFE6F, 0xFF00, 0xFF60, 0xFFE0, 0xFFE6, 0x1F300,
        0x1F64F,
    0x1F680, 0x1F6FF, 0x1F900, 0x1F9FF, 0x20000, 0x3FFFD
  };

  private CellWidth() {}

  public static int of(String text) {
    return text.codePoints().map(CellWidth::of).sum();
  }

  private static int of(int point) {
    if (point < 0x300) {
      return 1;
    }
    return switch (Character.getType(point)) {
      case Character.NON_SPACING_MARK, Character.ENCLOSING_MARK, Character.FORMAT -> 0;
      default -> isWide(point) ? 2 : 1;
    };
  }

  private static boolean isWide(int point) {
    for (int i = 0; i < WIDE.length; i += 2) {
      if (point < WIDE[i]) {
        return false;
      }
      if (point <= WIDE[i + 1]) {
        return true;
      }
    }
    return false;
  }

  /// Pads the text with spaces to a width.
  public static String pad(String text, int width) {
    return text + " ".repeat(Math.max(0, width - of(text)));
  }

  /// Shortens the text to a width, with an ellipsis at its end.
  public static String truncate(String text, int width, String ellipsis) {
    if (of(text) <= width) {
      return text;
    }
    int room = width - of(ellipsis);
    if (room < 0) {
      return "";
    }
    StringBuilder kept = new StringBuilder();
    int used = 0;
    for (int point : text.codePoints().toArray()) {
      used += of(point);
      if (used > room) {
        break;
      }
      kept.appendCodePoint(point);
    }
    return kept.append(ellipsis).toString();
  }
}
