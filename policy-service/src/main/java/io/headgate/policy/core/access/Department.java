package io.headgate.policy.core.access;

import io.headgate.policy.core.name.DepartmentId;
import io.headgate.type.GpuQuantity;
import java.util.Optional;

/// A level between the tenant and its policies (A3).
///
/// @param parent the department above it; absent: the tenant is above it
/// @param reservation GPUs whose use by its members has priority; absent: the sum of its members'
///   reservations
/// @param limit GPUs that its members together never exceed; absent: none
/// @param weight share among equal ranks (O4)
/// @param budget of its members together; absent: none
public record Department(
    DepartmentId id,
    Optional<DepartmentId> parent,
    Optional<GpuQuantity> reservation,
    Optional<GpuQuantity> limit,
    int weight,
    Optional<Budget> budget) {
  /// Departments from the highest to the lowest, at most.
  public static final int MAX_DEPTH = 5;

  public Department {
    if (reservation.isPresent()
        && limit.isPresent()
        && reservation.get().compareTo(limit.get()) > 0) {
      throw new IllegalArgumentException(reservation.get() + " is above the limit " + limit.get());
    }
    if (weight < 1 || weight > Rights.MAX_WEIGHT) {
      throw new IllegalArgumentException("weight " + weight);
    }
  }

  Department withoutBudget() {
    return new Department(id, parent, reservation, limit, weight, Optional.empty());
  }
}
