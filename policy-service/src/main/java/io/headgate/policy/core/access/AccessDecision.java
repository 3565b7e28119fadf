package io.headgate.policy.core.access;

import io.headgate.policy.core.Denial;
import java.util.List;

/// What comes of an edit.
public sealed interface AccessDecision {
  /// The configuration as it is to be; equal to what it was if the edit changes nothing.
  record Accepted(AccessConfiguration next, List<AccessWarning> warnings)
      implements AccessDecision {
    public Accepted {
      warnings = List.copyOf(warnings);
    }
  }

  /// All that is wrong.
  record Denied(List<Denial> denials) implements AccessDecision {
    public Denied {
      denials = List.copyOf(denials);
    }
  }

  /// Cannot be said without the supply: ask again with it.
  record SupplyNeeded() implements AccessDecision {}

  static AccessDecision accepted(AccessConfiguration next) {
    return new Accepted(next, List.of());
  }

  static AccessDecision denied(Denial denial) {
    return new Denied(List.of(denial));
  }
}
