package io.headgate.pool.core.configuration;

import io.headgate.kit.decision.FieldChange;
import java.util.List;

/// Compares configurations field by field.
public final class ConfigurationDifference {
  private ConfigurationDifference() {}

  /// The fields that differ, pools first, then by id. Values that may be credentials are hidden.
  public static List<FieldChange> between(Configuration before, Configuration after) {
    return FieldChange.between(FieldTexts.of(before), FieldTexts.of(after)).stream()
        .map(change -> FieldTexts.isSecret(change.field()) ? change.hidden() : change)
        .toList();
  }
}
