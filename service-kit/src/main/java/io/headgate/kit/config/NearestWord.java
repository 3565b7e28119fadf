package io.headgate.kit.config;

import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/// Finds what somebody probably meant.
public final class NearestWord {
  private NearestWord() {}

  /// The known word that is fewest edits away from `word`, if it is near enough to be meant.
  public static Optional<String> of(String word, List<String> known) {
    return known.stream()
        .min(Comparator.comparingInt(candidate -> distance(word, candidate)))
        .filter(candidate -> distance(word, candidate) <= Math.max(2, candidate.length() / 3));
  }

  /// A refusal: `is not a key: did you mean 'port'?`, or the list of what there is.
  static String unknown(String kind, String word, List<String> known) {
    String advice =
        of(word, known)
            .map(near -> "did you mean '" + near + "'?")
            .orElseGet(() -> "known are " + String.join(", ", known));
    return "'" + word + "' is not a known " + kind + ": " + advice;
  }

  /// Levenshtein's distance: insertions, deletions and replacements.
  private static int distance(String left, String right) {
    int[] previous = new int[right.length() + 1];
    for (int j = 0; j <= right.length(); j++) {
      previous[j] = j;
    }
    for (int i = 1; i <= left.length(); i++) {
      int[] current = new int[right.length() + 1];
      current[0] = i;
      for (int j = 1; j <= right.length(); j++) {
        int replaced = previous[j - 1] + (left.charAt(i - 1) == right.charAt(j - 1) ? 0 : 1);
        current[j] = Math.min(replaced, 1 + Math.min(previous[j], current[j - 1]));
      }
      previous = current;
    }
    return previous[right.length()];
  }
}
