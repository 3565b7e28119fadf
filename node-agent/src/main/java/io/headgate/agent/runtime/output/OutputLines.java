package io.headgate.agent.runtime.output;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/// Complete lines at the beginning of some output. Empty ones are left out.
///
/// @param endOffset where the rest begins, which is no complete line yet
record OutputLines(List<Line> lines, long endOffset) {
  /// The longest line, in bytes; a longer one becomes several.
  static final int MOST_BYTES = 16 * 1024;

  /// The most lines that are cut at once, because each becomes a record of some hundred bytes.
  static final int MOST_LINES = 1000;

  /// A line without its end.
  ///
  /// @param offset of its first byte in the stream since the attempt began
  record Line(long offset, String text) {}

  /// Cuts output into lines. Bytes that are no UTF-8 become replacement characters.
  ///
  /// @param offset of the first byte
  /// @param isLast nothing more follows, so the rest is a line, too, unless there are too many
  static OutputLines cut(long offset, byte[] bytes, boolean isLast) {
    List<Line> lines = new ArrayList<>();
    int begin = 0;
    for (int at = 0; at < bytes.length && lines.size() < MOST_LINES; at++) {
      if (bytes[at] == '\n') {
        add(lines, offset, bytes, begin, at);
        begin = at + 1;
      } else if (at - begin == MOST_BYTES) {
        int end = characterStart(bytes, begin, at);
        add(lines, offset, bytes, begin, end);
        begin = end;
      }
    }
    if (isLast && lines.size() < MOST_LINES) {
      add(lines, offset, bytes, begin, bytes.length);
      begin = bytes.length;
    }
    return new OutputLines(lines, offset + begin);
  }

  private static void add(List<Line> lines, long offset, byte[] bytes, int begin, int end) {
    int length = end - begin;
    if (length > 0 && bytes[end - 1] == '\r') {
      length--;
    }
    if (length > 0) {
      lines.add(new Line(offset + begin, new String(bytes, begin, length, StandardCharsets.UTF_8)));
    }
  }

  /// The last place up to `at` where a character of UTF-8 begins.
  private static int characterStart(byte[] bytes, int begin, int at) {
    for (int place = at; place > begin && at - place < 4; place--) {
      if ((bytes[place] & 0xC0) != 0x80) {
        return place;
      }
    }
    return at;
  }
}
