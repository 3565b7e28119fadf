package io.headgate.kit.decision;

import java.util.Collection;
import java.util.Optional;

/// Suggests the known word that a mistyped one may stand for.
public final class NearestWord {
  /// Words that are compared; a longer list costs more than its suggestion is worth.
  private static final int MAX_WORDS = 1000;

  /// Letters of a word that gets a suggestion; it bounds the cost of hostile input.
  private static final int MAX_LETTERS = 64;

  private NearestWord() {}

  /// The first known word with the fewest edits, if they are at most one per three letters of
  /// `typed` and at most three. For `hlaf` of `[half, full]` it is `half`.
  public static Optional<String> of(String typed, Collection<String> known) {
    return of(typed, known, 1);
  }

  private static Optional<String> of(String typed, Collection<String> known, int least) {
    if (typed.length() > MAX_LETTERS) {
      return Optional.empty();
    }
    int allowed = Math.clamp((typed.length() + 1) / 3, least, 3);
    String best = null;
    int looked = 0;
    for (String word : known) {
      if (looked++ == MAX_WORDS) {
        break;
      }
      int distance = distance(typed, word, allowed);
      if (distance <= allowed) {
        best = word;
        allowed = distance - 1;
      }
    }
    return Optional.ofNullable(best);
  }

  /// A refusal: `'prot' is not a known key: did you mean 'port'?`, or the list of known words.
  /// Known words are few here, so two edits are always allowed: `on` suggests `off`.
  public static String unknown(String kind, String word, Collection<String> known) {
    String advice =
        of(word, known, 2)
            .map(near -> "did you mean '" + near + "'?")
            .orElseGet(() -> "known are " + String.join(", ", known));
    return "'" + word + "' is not a known " + kind + ": " + advice;
  }

  /// Edit distance with swaps of neighbours (optimal string alignment), or `bound + 1` where the
  /// lengths alone exceed `bound`.
  private static int distance(String a, String b, int bound) {
    if (Math.abs(a.length() - b.length()) > bound) {
      return bound + 1;
    }
    int[][] edits = new int[a.length() + 1][b.length() + 1];
    for (int i = 0; i <= a.length(); i++) {
      for (int j = 0; j <= b.length(); j++) {
        edits[i][j] = i == 0 || j == 0 ? i + j : least(edits, a, b, i, j);
      }
    }
    return edits[a.length()][b.length()];
  }

  private static int least(int[][] edits, String a, String b, int i, int j) {
    int replaced = a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1;
    int least = Math.min(edits[i - 1][j], edits[i][j - 1]) + 1;
    least = Math.min(least, edits[i - 1][j - 1] + replaced);
    boolean swapped =
        i > 1 && j > 1 && a.charAt(i - 1) == b.charAt(j - 2) && a.charAt(i - 2) == b.charAt(j - 1);
    return swapped ? Math.min(least, edits[i - 2][j - 2] + 1) : least;
  }
}
