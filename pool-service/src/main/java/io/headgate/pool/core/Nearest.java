package io.headgate.pool.core;

import java.util.Collection;
import java.util.Optional;

/// Finds the existing word that a mistyped one was probably meant to be.
public final class Nearest {
  /// Beyond this many words guessing is not worth its time.
  private static final int MAX_WORDS = 1000;

  private Nearest() {}

  /// The nearest of `words`, if it is near: for `hlaf` of `[half, full]` it is `half`.
  public static Optional<String> to(String typed, Collection<String> words) {
    int allowed = Math.max(1, typed.length() / 3);
    String best = null;
    int looked = 0;
    for (String word : words) {
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

  /// Letters to insert, remove, replace, or to swap with their neighbour; above `bound` any number
  /// above it.
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
