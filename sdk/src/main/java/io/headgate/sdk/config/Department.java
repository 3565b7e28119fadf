package io.headgate.sdk.config;

import io.headgate.type.GpuQuantity;
import org.jspecify.annotations.Nullable;

/// A level between the tenant and its policies (A3).
///
/// @param department the department above it; null: the tenant is above it
/// @param reservation null: the sum of its members' reservations
/// @param limit most GPUs of its members together; null: none
/// @param weight share of over-reservation use among equal ranks
/// @param budget of its members together; null: none
/// @param tenant its tenant, where tenants share the pools; null: the configuration's own
public record Department(
    String name,
    @Nullable String department,
    @Nullable GpuQuantity reservation,
    @Nullable GpuQuantity limit,
    int weight,
    @Nullable Budget budget,
    @Nullable String tenant) {
  /// Departments inside one another, at most.
  public static final int MOST_DEEP = 5;
}
