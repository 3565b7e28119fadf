package io.headgate.scheduler.core.ledger;

import io.headgate.scheduler.core.catalog.PolicyId;
import java.time.Instant;
import java.util.List;

/// The rights of a policy from a time on, until its next step, in GPU units.
///
/// @param departments those above it, the lowest first
/// @param reservation 0, as the limit: the policy is gone
public record ReservationStep(
    PolicyId policy, Instant at, List<String> departments, long reservation, long limit) {
  public ReservationStep {
    departments = List.copyOf(departments);
  }
}
