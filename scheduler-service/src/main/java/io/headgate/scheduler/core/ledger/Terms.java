package io.headgate.scheduler.core.ledger;

import java.util.List;
import java.util.Optional;

/// The configuration of a use while it lasts. An interval ends when it changes.
///
/// @param departments those above the policy, the lowest first
/// @param group of the policy; empty: the policy is gone
/// @param price of the pool; empty: it has none
public record Terms(List<String> departments, Optional<String> group, Optional<Price> price) {
  public Terms {
    departments = List.copyOf(departments);
  }
}
