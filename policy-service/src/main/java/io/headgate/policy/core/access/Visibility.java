package io.headgate.policy.core.access;

/// The things of a tenant that its members see.
public enum Visibility {
  /// Things of their own and of their groups.
  OWN,
  /// All things but secrets.
  TENANT
}
