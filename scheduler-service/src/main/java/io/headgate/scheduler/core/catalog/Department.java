package io.headgate.scheduler.core.catalog;

import io.headgate.type.GpuQuantity;
import java.util.Optional;

/// A level of rights between a tenant and its policies (A3). Departments nest to a depth of
/// [#MAX_DEPTH].
///
/// @param parent the department that it belongs to; absent: it is directly below the tenant
/// @param reservation absent: the sum of its members' reservations
/// @param limit absent: it restricts nothing
/// @param weight its share of over-reservation capacity among its siblings, 1 to
///   [Policy#MAX_WEIGHT] (O4)
public record Department(
    DepartmentId id,
    Optional<DepartmentId> parent,
    Optional<GpuQuantity> reservation,
    Optional<GpuQuantity> limit,
    int weight) {
  /// How many departments may be above one another.
  public static final int MAX_DEPTH = 5;

  public Department {
    if (weight < 1 || weight > Policy.MAX_WEIGHT) {
      throw new IllegalArgumentException("department " + id + ": weight " + weight);
    }
    if (reservation.isPresent()
        && limit.isPresent()
        && reservation.get().compareTo(limit.get()) > 0) {
      throw new IllegalArgumentException(
          "department %s: reservation %s is above limit %s"
              .formatted(id, reservation.get(), limit.get()));
    }
  }
}
