package io.headgate.pool.core.name;

import java.util.Locale;

/// The kinds of resources that have ids.
public enum Kind {
  POOL,
  PROFILE,
  NODE,
  DEVICE,
  LABEL,
  POLICY,
  GROUP,
  STORAGE;

  /// The glossary's word for the kind.
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }
}
