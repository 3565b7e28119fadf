package io.headgate.policy.core.identity;

import io.headgate.policy.core.name.TenantId;
import java.util.Optional;

/// The caller as its token states it.
///
/// @param subject resource name, as in {@link KeyOwner#name()}
/// @param tenant the only tenant that it may see; absent: any
public record Caller(String subject, PrincipalRole role, Optional<TenantId> tenant) {
  /// The operator on this machine, with direct access to the database and without a token.
  public static final Caller LOCAL =
      new Caller("operators/local", PrincipalRole.PLATFORM_OPERATOR, Optional.empty());

  public boolean mayEnter(TenantId id) {
    return tenant.isEmpty() || tenant.get().equals(id);
  }
}
