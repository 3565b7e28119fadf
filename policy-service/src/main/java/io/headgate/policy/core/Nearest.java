package io.headgate.policy.core;

import java.util.Collection;
import java.util.Optional;

/// Finds the existing word that a mistyped one was probably meant to be.
public final class Nearest {
  /// Beyond this many words guessing is not worth its time.
  private static final int MAX_WORDS = 1000;

  private Nearest() {}

  /// The nearest of `words`, if it is near: for `hlaf` of `[half, full]` it is `half`.
  public static Optional<String> to(String typed, Collection<String> words) {
    String best = null;
    int bestDistance = Math.max(1, (typed.length() + 1) / 3) + 1;
    int looked = 0;
    for (String word : words) {
      if (looked++ == MAX_WORDS) {
        break;
      }
      int distance = distance(typed, word);
      if (distance < bestDistance) {
        best = word;
        bestDistance = distance;
      }
    }
    return Optional.ofNullable(best);
  }

  /// Edits from one to the other: letters inserted, removed, replaced, or two neighbours swapped.
  private static int distance(String a, String b) {
    int[][] edits = new int[a.length() + 1][b.length() + 1];
    for (int i = 0; i <= a.length(); i++) {
      for (int j = 0; j <= b.length(); j++) {
        if (i == 0 || j == 0) {
          edits[i][j] = i + j;
          continue;
        }
        int replace = a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1;
        int least = Math.min(edits[i - 1][j], edits[i][j - 1]) + 1;
        least = Math.min(least, edits[i - 1][j - 1] + replace);
        boolean swapped =
            i > 1
                && j > 1
                && a.charAt(i - 1) == b.charAt(j - 2)
                && a.charAt(i - 2) == b.charAt(j - 1);
        edits[i][j] = swapped ? Math.min(least, edits[i - 2][j - 2] + 1) : least;
      }
    }
    return edits[a.length()][b.length()];
  }
}
