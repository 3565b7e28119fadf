package io.headgate.sdk.config;

import java.util.List;

/// Lists and counts in English sentences.
public final class EnglishText {
  private EnglishText() {}

  /// `a`, `a or b`, `a, b or c`.
  public static String either(List<String> words) {
    return joined(words, " or ");
  }

  /// `a`, `a and b`, `a, b and c`.
  public static String all(List<String> words) {
    return joined(words, " and ");
  }

  private static String joined(List<String> words, String last) {
    if (words.size() < 2) {
      return String.join("", words);
    }
    return String.join(", ", words.subList(0, words.size() - 1)) + last + words.getLast();
  }

  /// `1 error`, `2 errors`.
  public static String count(long number, String noun) {
    return number + " " + noun + (number == 1 ? "" : "s");
  }
}
