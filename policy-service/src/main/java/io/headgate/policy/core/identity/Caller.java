package io.headgate.policy.core.identity;

import io.headgate.policy.core.name.TenantId;
import java.util.Optional;

/// Who asks, as its token says.
///
/// @param subject resource name, as in {@link KeyOwner#name()}
/// @param tenant the only tenant that it may know of; absent: any
public record Caller(String subject, Role role, Optional<TenantId> tenant) {
  /// The machine's own operator, who has the database and needs no token.
  public static final Caller LOCAL =
      new Caller("operators/local", Role.PLATFORM_OPERATOR, Optional.empty());

  public boolean mayEnter(TenantId id) {
    return tenant.isEmpty() || tenant.get().equals(id);
  }
}
