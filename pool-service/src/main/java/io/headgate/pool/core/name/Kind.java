package io.headgate.pool.core.name;

import java.util.Locale;

/// The kinds of things that have ids.
public enum Kind {
  POOL,
  PROFILE,
  NODE,
  DEVICE,
  POLICY,
  GROUP;

  /// The word of the glossary.
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }
}
