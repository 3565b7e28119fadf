package io.headgate.policy.core.access;

import io.headgate.policy.core.Denial;
import java.util.List;

/// The result of an edit.
public sealed interface AccessDecision {
  /// The new configuration; it equals the old one if the edit changes nothing.
  record Accepted(AccessConfiguration next, List<AccessWarning> warnings)
      implements AccessDecision {
    public Accepted {
      warnings = List.copyOf(warnings);
    }
  }

  /// The edit is refused for all these reasons.
  record Denied(List<Denial> denials) implements AccessDecision {
    public Denied {
      denials = List.copyOf(denials);
    }
  }

  /// The decision needs the supply; decide again with it.
  record SupplyNeeded() implements AccessDecision {}

  static AccessDecision accepted(AccessConfiguration next) {
    return new Accepted(next, List.of());
  }

  static AccessDecision denied(Denial denial) {
    return new Denied(List.of(denial));
  }
}
