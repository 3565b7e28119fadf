package io.headgate.type;

import java.util.Collection;
import java.util.Optional;

/// Finds the existing name nearest to a mistyped one.
public final class NearestName {
  private NearestName() {}

  /// A hint for error messages: `did you mean half?`.
  public static Optional<String> suggestion(String word, Collection<String> candidates) {
    return find(word, candidates).map(nearest -> "did you mean " + nearest + "?");
  }

  /// The candidate at the smallest edit distance (insert, delete, replace, or swap two letters).
  /// The distance is at most a third of the word and at most three. `hlaf` → `half`, `jbos` →
  /// `jobs`.
  public static Optional<String> find(String word, Collection<String> candidates) {
    int longest = 64;
    if (word.isEmpty() || word.length() > longest) {
      return Optional.empty();
    }
    int allowed = Math.clamp((word.length() + 1) / 3, 1, 3);
    String best = null;
    int fewest = allowed + 1;
    for (String candidate : candidates) {
      if (Math.abs(candidate.length() - word.length()) < fewest) {
        int edits = edits(word, candidate);
        if (edits < fewest) {
          best = candidate;
          fewest = edits;
        }
      }
    }
    return Optional.ofNullable(best);
  }

  /// Optimal string alignment distance.
  public static int edits(String from, String to) {
    int[][] cost = new int[from.length() + 1][to.length() + 1];
    for (int i = 0; i <= from.length(); i++) {
      for (int j = 0; j <= to.length(); j++) {
        cost[i][j] = i == 0 || j == 0 ? i + j : cheapest(cost, from, to, i, j);
      }
    }
    return cost[from.length()][to.length()];
  }

  private static int cheapest(int[][] cost, String from, String to, int i, int j) {
    int replace = cost[i - 1][j - 1] + (from.charAt(i - 1) == to.charAt(j - 1) ? 0 : 1);
    int least = Math.min(replace, 1 + Math.min(cost[i - 1][j], cost[i][j - 1]));
    boolean swapped =
        i > 1
            && j > 1
            && from.charAt(i - 1) == to.charAt(j - 2)
            && from.charAt(i - 2) == to.charAt(j - 1);
    return swapped ? Math.min(least, cost[i - 2][j - 2] + 1) : least;
  }
}
