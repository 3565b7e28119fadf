package io.headgate.sdk.config;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/// Collects the mistakes of one file, so that all of them are reported at once.
final class Problems {
  private static final Comparator<Problem> IN_FILE_ORDER =
      Comparator.comparingInt(
              (Problem problem) -> {
                Span span = problem.span();
                return span == null ? 0 : span.line();
              })
          .thenComparingInt(problem -> {
            Span span = problem.span();
            return span == null ? 0 : span.column();
          });

  private final String fileName;
  private final List<Problem> found = new ArrayList<>();
  private final Set<String> fields = new HashSet<>();

  Problems(String fileName) {
    this.fileName = fileName;
  }

  String fileName() {
    return fileName;
  }

  void add(Problem problem) {
    found.add(problem);
    fields.add(problem.field());
  }

  /// Whether these fields have no mistakes yet. A consequence of a reported mistake is not
  /// reported.
  boolean clean(String... paths) {
    for (String path : paths) {
      if (fields.contains(path)) {
        return false;
      }
    }
    return true;
  }

  List<Problem> inFileOrder() {
    return found.stream().sorted(IN_FILE_ORDER).toList();
  }
}
