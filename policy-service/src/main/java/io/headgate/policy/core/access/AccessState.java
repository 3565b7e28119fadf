package io.headgate.policy.core.access;

import io.headgate.policy.core.name.UserId;
import java.util.Optional;
import java.util.Set;

/// The input of a decision.
///
/// @param current the configuration in force
/// @param users the existing ones of the users in the edit's exceed-limit grants
/// @param supply absent: not read yet
public record AccessState(AccessConfiguration current, Set<UserId> users, Optional<Supply> supply) {
  public AccessState {
    users = Set.copyOf(users);
  }
}
