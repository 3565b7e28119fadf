package io.headgate.deploy.prose;

import java.util.ArrayList;
import java.util.List;

/// Finds the comments of Java, C and protobuf sources.
///
/// Consecutive lines of `//` comments form one passage. Slashes in string literals, characters and
/// text blocks are no comments.
final class CommentReader {
  private final String source;
  private final List<Passage> passages = new ArrayList<>();
  private final List<String> open = new ArrayList<>();
  private String openMarker = "";
  private int openLine;
  private int line = 1;
  private int lineStart;
  private int at;

  private CommentReader(String source) {
    this.source = source;
  }

  static List<Passage> passages(String source) {
    CommentReader reader = new CommentReader(source);
    reader.read();
    return List.copyOf(reader.passages);
  }

  private void read() {
    while (at < source.length()) {
      char next = source.charAt(at);
      if (next == '\n') {
        newLine();
        at++;
      } else if (source.startsWith("//", at)) {
        readLineComment();
      } else if (source.startsWith("/*", at)) {
        readBlockComment();
      } else if (source.startsWith("\"\"\"", at)) {
        skipTo("\"\"\"");
      } else if (next == '"' || next == '\'') {
        skipTo(String.valueOf(next));
      } else {
        at++;
      }
    }
    close();
  }

  private void newLine() {
    line++;
    lineStart = at + 1;
  }

  private void readLineComment() {
    int end = source.indexOf('\n', at);
    end = end < 0 ? source.length() : end;
    String marker = source.startsWith("///", at) ? "///" : "//";
    boolean ownLine = source.substring(lineStart, at).isBlank();
    boolean continues = ownLine && marker.equals(openMarker) && line == openLine + open.size();
    if (!continues) {
      close();
      openLine = line;
      openMarker = ownLine ? marker : "";
    }
    String text = source.substring(at + marker.length(), end).stripTrailing();
    open.add(text.startsWith(" ") ? text.substring(1) : text);
    at = end;
  }

  private void readBlockComment() {
    close();
    int end = source.indexOf("*/", at + 2);
    end = end < 0 ? source.length() : end;
    String[] lines = source.substring(at + 2, end).split("\n", -1);
    List<String> text = new ArrayList<>();
    for (String each : lines) {
      text.add(each.replaceFirst("^\\s*\\*+ ?", "").stripTrailing());
    }
    passages.add(new Passage(line, text));
    for (int i = 1; i < lines.length; i++) {
      line++;
    }
    lineStart = end;
    at = Math.min(end + 2, source.length());
  }

  /// Skips a literal that starts here. A literal of one line ends with its line at the latest.
  private void skipTo(String quote) {
    at += quote.length();
    while (at < source.length() && !source.startsWith(quote, at)) {
      char next = source.charAt(at);
      if (next == '\n') {
        if (quote.length() == 1) {
          return;
        }
        newLine();
      }
      at += next == '\\' ? 2 : 1;
    }
    at += quote.length();
  }

  private void close() {
    if (!open.isEmpty()) {
      passages.add(new Passage(openLine, open));
      open.clear();
    }
    openMarker = "";
  }
}
