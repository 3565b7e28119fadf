package io.headgate.kit.auth;

import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;

/// The role of a caller; a token carries exactly one. It mirrors the enum of the contract.
public enum Role {
  PLATFORM_OPERATOR,
  TENANT_ADMIN,
  MEMBER,
  SERVICE_ACCOUNT,
  NODE,
  SERVICE;

  /// Whether principals of this role belong to one tenant and have no access to others.
  public boolean isBoundToTenant() {
    return this != PLATFORM_OPERATOR && this != SERVICE;
  }

  /// Whether the role gives power over others. Calls of such principals that change something need
  /// recent news about revocations.
  public boolean isGoverning() {
    return this == PLATFORM_OPERATOR || this == TENANT_ADMIN;
  }

  /// The role's name in tokens: `tenant-admin`.
  public String claim() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  static Optional<Role> ofClaim(String claim) {
    return Stream.of(values()).filter(role -> role.claim().equals(claim)).findFirst();
  }
}
