package io.headgate.policy.runtime.port;

import io.headgate.policy.core.name.TenantId;
import java.time.Instant;

/// The decision on a change of supply and rights. It is never taken back.
///
/// @param isCommitted otherwise the change was abandoned
/// @param accessVersion of the rights with the change; 0: abandoned
public record ChangeDecision(
    TenantId tenant, String change, boolean isCommitted, long accessVersion, Instant at) {
  /// The decision that the change never comes into force.
  public static ChangeDecision abandoned(TenantId tenant, String change, Instant at) {
    return new ChangeDecision(tenant, change, false, 0, at);
  }
}
