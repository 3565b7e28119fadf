package io.headgate.scheduler.core.catalog;

import io.headgate.type.GpuQuantity;
import java.time.Duration;
import java.util.Optional;

/// One group's rights.
///
/// @param reservation what it gets back from others when it asks (DESIGN P1)
/// @param limit what it never exceeds, even when the cluster idles (DESIGN A2)
/// @param weight its share of over-reservation capacity among equal ranks, 1 to [#MAX_WEIGHT]
///   (DESIGN O4)
/// @param perUserLimit what one user of it may use at a time (DESIGN A4)
/// @param minRuntime a job of it is no victim before it has run so long (DESIGN P2)
/// @param preemptible the default for its jobs (DESIGN A8)
public record Policy(
    PolicyId id,
    GpuQuantity reservation,
    GpuQuantity limit,
    int weight,
    Optional<GpuQuantity> perUserLimit,
    PreemptionOutcome onPreempt,
    Duration minRuntime,
    boolean preemptible) {
  /// Bounds the cross products of the share comparison to a `long`.
  public static final int MAX_WEIGHT = 10_000;

  public Policy {
    if (weight < 1 || weight > MAX_WEIGHT) {
      throw new IllegalArgumentException("policy " + id + ": weight " + weight);
    }
    if (reservation.compareTo(limit) > 0) {
      throw new IllegalArgumentException(
          "policy %s: reservation %s is above limit %s".formatted(id, reservation, limit));
    }
    if (minRuntime.isNegative()) {
      throw new IllegalArgumentException("policy " + id + ": minRuntime " + minRuntime);
    }
  }
}
