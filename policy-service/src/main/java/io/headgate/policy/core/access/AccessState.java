package io.headgate.policy.core.access;

import io.headgate.policy.core.name.UserId;
import java.util.Optional;
import java.util.Set;

/// What an edit is decided on.
///
/// @param current the configuration in force
/// @param users who exist, of those that the edit's exceed-limit grants name
/// @param supply absent: not asked for yet
public record AccessState(AccessConfiguration current, Set<UserId> users, Optional<Supply> supply) {
  public AccessState {
    users = Set.copyOf(users);
  }
}
