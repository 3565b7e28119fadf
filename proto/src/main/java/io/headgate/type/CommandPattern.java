package io.headgate.type;

import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// A pattern for the beginning of a command: `/usr/bin/python3 -m train`, `/usr/bin/python3
/// /opt/jobs/*.py`.
///
/// Spaces separate its words, and each matches the command's word at its position; further words of
/// the command are free. A word `*` matches any word. Within a word, `*` matches any characters but
/// `/`. A path component with `*` never matches `.` or `..`.
public final class CommandPattern {
  private static final String ANY = "*";
  private static final int MAX_LENGTH = 512;

  private final String text;
  private final List<Word> words;

  private CommandPattern(String text) {
    this.text = text;
    this.words = Arrays.stream(text.split(" ", -1)).map(Word::new).toList();
  }

  /// Parses a pattern.
  ///
  /// @throws IllegalArgumentException if the text is not a pattern
  public static CommandPattern parse(String text) {
    if (text.length() > MAX_LENGTH
        || Arrays.asList(text.split(" ", -1)).contains("")
        || text.chars().anyMatch(Character::isISOControl)) {
      throw new IllegalArgumentException(
          "command pattern '%s' is not 1 to %d characters of words with one space between them"
              .formatted(text, MAX_LENGTH));
    }
    return new CommandPattern(text);
  }

  /// Whether the command begins as the pattern states.
  public boolean matches(List<String> command) {
    if (command.size() < words.size()) {
      return false;
    }
    for (int i = 0; i < words.size(); i++) {
      if (!words.get(i).matches(command.get(i))) {
        return false;
      }
    }
    return true;
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof CommandPattern pattern && pattern.text.equals(text);
  }

  @Override
  public int hashCode() {
    return text.hashCode();
  }

  @Override
  public String toString() {
    return text;
  }

  /// One word; each component of its path is the list of texts between its `*`.
  private record Word(String text, List<List<String>> components) {
    Word(String text) {
      this(
          text,
          Arrays.stream(text.split("/", -1))
              .map(component -> Arrays.asList(component.split("\\*", -1)))
              .toList());
    }

    boolean matches(String word) {
      if (text.equals(ANY) || text.equals(word)) {
        return true;
      }
      String[] parts = word.split("/", components.size() + 1);
      if (parts.length != components.size()) {
        return false;
      }
      for (int i = 0; i < parts.length; i++) {
        if (!matches(components.get(i), parts[i])) {
          return false;
        }
      }
      return true;
    }

    /// Whether `part` contains the texts in order, from its beginning to its end. Taking the first
    /// match of each leaves the most room for the rest, so no other match is tried.
    private static boolean matches(List<String> texts, String part) {
      if (texts.size() == 1) {
        return part.equals(texts.getFirst());
      }
      String last = texts.getLast();
      int from = texts.getFirst().length();
      int end = part.length() - last.length();
      if (end < from
          || !part.startsWith(texts.getFirst())
          || !part.endsWith(last)
          || part.equals(".")
          || part.equals("..")) {
        return false;
      }
      for (String text : texts.subList(1, texts.size() - 1)) {
        int at = part.indexOf(text, from);
        if (at < 0 || at + text.length() > end) {
          return false;
        }
        from = at + text.length();
      }
      return true;
    }
  }
}
