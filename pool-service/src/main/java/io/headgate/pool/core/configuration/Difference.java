package io.headgate.pool.core.configuration;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/// One field that two configurations differ in.
///
/// @param field its path, `pools[onprem].capacity`
/// @param before as text; empty if it was absent
/// @param after as text; empty if it is absent
public record Difference(String field, String before, String after) {
  private static final String HIDDEN = "(hidden)";

  /// All that has to change to make `after` of `before`, pools first, by id. What may be a
  /// credential is hidden.
  public static List<Difference> between(Configuration before, Configuration after) {
    Map<String, String> was = FieldTexts.of(before);
    Map<String, String> is = FieldTexts.of(after);
    Set<String> fields = new LinkedHashSet<>(was.keySet());
    fields.addAll(is.keySet());
    List<Difference> differences = new ArrayList<>();
    for (String field : fields) {
      String old = was.getOrDefault(field, "");
      String now = is.getOrDefault(field, "");
      if (!old.equals(now)) {
        differences.add(
            FieldTexts.isSecret(field)
                ? new Difference(field, hidden(old), hidden(now))
                : new Difference(field, old, now));
      }
    }
    return differences;
  }

  private static String hidden(String value) {
    return value.isEmpty() ? "" : HIDDEN;
  }
}
