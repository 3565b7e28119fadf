package io.headgate.deploy.prose;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Checks the sentences of a passage: their length, and the phrases of [ProseRule].
///
/// Code in back quotes or fences is no prose. Items of lists, cells of tables and headings are
/// sentences of their own.
final class Prose {
  /// Words of the longest sentence that passes. Writers aim at 25.
  static final int MOST_WORDS = 35;

  private static final Pattern ITEM = Pattern.compile("(#+|[-*]|\\d+\\.)\\s+(.*)");
  private static final Pattern SENTENCE_END =
      Pattern.compile("(?<=[.!?])[\"')]*\\s+(?=[A-Z0-9\"'(])|:\\s+(?=[A-Z-])|;\\s+(?=[A-Z])");
  private static final Pattern WORD = Pattern.compile("\\S*[A-Za-z0-9]\\S*");

  private Prose() {}

  /// @param line of the sentence's paragraph, counted as in its passage
  record Offence(int line, String text) {}

  private record Paragraph(int line, String text) {}

  static List<Offence> offences(Passage passage) {
    List<Offence> offences = new ArrayList<>();
    for (Paragraph paragraph : paragraphs(passage)) {
      for (String sentence : SENTENCE_END.split(plain(paragraph.text()))) {
        check(sentence.strip(), paragraph.line(), offences);
      }
    }
    return offences;
  }

  private static void check(String sentence, int line, List<Offence> offences) {
    long words = WORD.matcher(sentence).results().count();
    if (words > MOST_WORDS) {
      String start = sentence.substring(0, Math.min(70, sentence.length()));
      offences.add(new Offence(line, "\"%s...\": %d words, split it".formatted(start, words)));
    }
    for (ProseRule rule : ProseRule.values()) {
      rule.offence(sentence).ifPresent(text -> offences.add(new Offence(line, text)));
    }
  }

  private static String plain(String text) {
    return text.replaceAll("\\[([^\\]]*)\\]\\([^)]*\\)", "$1")
        .replaceAll("`[^`]*`", "CODE")
        .replaceAll("\\[([^\\]]+)\\](?:\\[\\])?", "$1")
        .replace("**", "")
        .replace("__", "");
  }

  private static List<Paragraph> paragraphs(Passage passage) {
    List<Paragraph> paragraphs = new ArrayList<>();
    List<String> open = new ArrayList<>();
    int openLine = 0;
    boolean fenced = false;
    for (int i = 0; i < passage.lines().size(); i++) {
      int line = passage.line() + i;
      String raw = passage.lines().get(i);
      String text = raw.strip();
      Matcher item = ITEM.matcher(text);
      boolean fence = text.startsWith("```");
      boolean code = open.isEmpty() && raw.matches("( {4,}|\\t).*");
      boolean startsAnew = text.startsWith("@") || text.startsWith("|") || item.matches();
      if (fence || fenced || text.isEmpty() || startsAnew) {
        close(paragraphs, open, openLine);
      }
      fenced ^= fence;
      if (fence || fenced || text.isEmpty() || (code && !startsAnew)) {
        continue;
      }
      if (text.startsWith("|")) {
        for (String cell : text.split("(?<!\\\\)\\|")) {
          if (!cell.matches("[\\s:-]*")) {
            paragraphs.add(new Paragraph(line, cell.strip()));
          }
        }
        continue;
      }
      openLine = open.isEmpty() ? line : openLine;
      open.add(item.matches() ? item.group(2) : text);
      if (text.startsWith("#")) {
        close(paragraphs, open, openLine);
      }
    }
    close(paragraphs, open, openLine);
    return paragraphs;
  }

  private static void close(List<Paragraph> paragraphs, List<String> open, int line) {
    if (!open.isEmpty()) {
      paragraphs.add(new Paragraph(line, String.join(" ", open)));
      open.clear();
    }
  }
}
