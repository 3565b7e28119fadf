package io.headgate.policy.core.name;

import java.util.Locale;

/// The kinds of things that a denial can be about.
public enum Kind {
  TENANT,
  USER,
  SERVICE_ACCOUNT,
  GROUP,
  POLICY,
  QUEUE,
  VAULT,
  PROFILE,
  POOL,
  NODE,
  KEY,
  JOIN_TOKEN;

  /// The word of the glossary: `service account`.
  public String word() {
    return name().toLowerCase(Locale.ROOT).replace('_', ' ');
  }
}
