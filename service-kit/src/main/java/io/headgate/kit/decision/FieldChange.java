package io.headgate.kit.decision;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/// One field before and after a change, as text. An absent field is empty text.
public record FieldChange(String field, String before, String after) {
  private static final String HIDDEN = "(hidden)";

  /// The same without the values, which may be credentials. It still shows whether the field was
  /// absent before or is absent after.
  public FieldChange hidden() {
    return new FieldChange(field, hidden(before), hidden(after));
  }

  private static String hidden(String value) {
    return value.isEmpty() ? "" : HIDDEN;
  }

  /// The fields that differ, first in the order of `before`, then the added ones in the order of
  /// `after`.
  ///
  /// @param before text by field
  public static List<FieldChange> between(Map<String, String> before, Map<String, String> after) {
    Set<String> fields = new LinkedHashSet<>(before.keySet());
    fields.addAll(after.keySet());
    List<FieldChange> changes = new ArrayList<>();
    for (String field : fields) {
      String old = before.getOrDefault(field, "");
      String now = after.getOrDefault(field, "");
      if (!old.equals(now)) {
        changes.add(new FieldChange(field, old, now));
      }
    }
    return changes;
  }
}
