package io.headgate.kit.auth;

import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;

/// What a caller may be; a token carries exactly one. The contract's own enum in plain Java.
public enum Role {
  PLATFORM_OPERATOR,
  TENANT_ADMIN,
  MEMBER,
  SERVICE_ACCOUNT,
  NODE,
  SERVICE;

  /// Whether principals of this role belong to one tenant and may touch nothing else.
  public boolean isBoundToTenant() {
    return this != PLATFORM_OPERATOR && this != SERVICE;
  }

  /// The word that tokens use: `tenant-admin`.
  public String claim() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  static Optional<Role> ofClaim(String claim) {
    return Stream.of(values()).filter(role -> role.claim().equals(claim)).findFirst();
  }
}
