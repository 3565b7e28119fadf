package io.headgate.policy.core.name;

import java.util.Locale;

/// The kinds of resources in denials.
public enum Kind {
  TENANT,
  USER,
  SERVICE_ACCOUNT,
  GROUP,
  DEPARTMENT,
  POLICY,
  QUEUE,
  VAULT,
  PROFILE,
  POOL,
  NODE,
  KEY,
  JOIN_TOKEN;

  /// The glossary's word: `service account`.
  public String word() {
    return name().toLowerCase(Locale.ROOT).replace('_', ' ');
  }
}
