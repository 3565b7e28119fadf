package io.headgate.policy.core.access;

import io.headgate.policy.core.name.TenantId;
import io.headgate.policy.core.name.UserId;
import java.util.Optional;
import java.util.Set;

/// The input of a decision.
///
/// @param current the configuration in force
/// @param users the existing ones of the users in the edit's exceed-limit grants
/// @param supply absent: not read yet
/// @param sharers present for the tenant `platform` only: the tenants that may have parts of its
///   pools
public record AccessState(
    AccessConfiguration current,
    Set<UserId> users,
    Optional<Supply> supply,
    Optional<Set<TenantId>> sharers) {
  public AccessState {
    users = Set.copyOf(users);
    sharers = sharers.map(Set::copyOf);
  }

  /// The input of a decision on a tenant that owns no shared pools.
  public AccessState(AccessConfiguration current, Set<UserId> users, Optional<Supply> supply) {
    this(current, users, supply, Optional.empty());
  }
}
