package io.headgate.scheduler.core.catalog;

import io.headgate.type.GpuQuantity;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;

/// One group's rights.
///
/// @param reservation the units that it gets back from others on demand (P1)
/// @param limit the units that it never exceeds, even when the cluster idles (A2)
/// @param weight its share of over-reservation capacity among equal ranks, 1 to [#MAX_WEIGHT] (O4)
/// @param perUserLimit what one user of it may use at a time (A4)
/// @param exceedLimit users whose jobs may use idle capacity above the limit (A2)
/// @param minRuntime a job of it is no victim before it has run for this time (P2)
/// @param preemptible the default for its jobs (A8)
/// @param preemptWithin whether its jobs may preempt each other (P9)
/// @param preemptAfter its jobs wait for this time before they preempt (P2)
/// @param department absent: it is directly below the tenant (A3)
/// @param group whose rights they are. Running jobs of a policy that is gone count on the group's
///   other policy, if it has one only
/// @param spent the budget that restricts it now, its own or one of a level above it
public record Policy(
    PolicyId id,
    GpuQuantity reservation,
    GpuQuantity limit,
    int weight,
    Optional<GpuQuantity> perUserLimit,
    Set<UserId> exceedLimit,
    PreemptionOutcome onPreempt,
    Duration minRuntime,
    boolean preemptible,
    PreemptWithin preemptWithin,
    Duration preemptAfter,
    Optional<DepartmentId> department,
    Optional<String> group,
    Optional<SpentBudget> spent) {
  /// Bounds the cross products of the share comparison to a `long`.
  public static final int MAX_WEIGHT = 10_000;

  public Policy {
    exceedLimit = Set.copyOf(exceedLimit);
    if (weight < 1 || weight > MAX_WEIGHT) {
      throw new IllegalArgumentException("policy " + id + ": weight " + weight);
    }
    if (reservation.compareTo(limit) > 0) {
      throw new IllegalArgumentException(
          "policy %s: reservation %s is above limit %s".formatted(id, reservation, limit));
    }
    if (minRuntime.isNegative() || preemptAfter.isNegative()) {
      throw new IllegalArgumentException(
          "policy %s: minRuntime %s, preemptAfter %s".formatted(id, minRuntime, preemptAfter));
    }
  }

  /// A policy with the defaults: weight 1, no limit per user, victims are requeued at any time, and
  /// no preemption within it.
  public static Policy of(PolicyId id, GpuQuantity reservation, GpuQuantity limit) {
    return new Policy(
        id,
        reservation,
        limit,
        1,
        Optional.empty(),
        Set.of(),
        PreemptionOutcome.REQUEUE,
        Duration.ZERO,
        true,
        PreemptWithin.NEVER,
        Duration.ZERO,
        Optional.empty(),
        Optional.empty(),
        Optional.empty());
  }

  /// The units that it gets back on demand now: none while it yields.
  public GpuQuantity presentReservation() {
    return isYielding() ? GpuQuantity.ZERO : reservation;
  }

  /// Whether it reserves nothing because a budget is spent.
  public boolean isYielding() {
    return spent.isPresent() && spent.get().yields();
  }

  /// Whether its jobs do not start because a budget is spent.
  public boolean isWaiting() {
    return spent.isPresent() && spent.get().effect() == SpentBudget.Effect.WAIT;
  }

  /// A copy with some fields changed.
  public Builder with() {
    return new Builder(this);
  }

  /// Changes fields one by one; not shared between threads.
  public static final class Builder {
    private PolicyId id;
    private GpuQuantity reservation;
    private GpuQuantity limit;
    private int weight;
    private Optional<GpuQuantity> perUserLimit;
    private Set<UserId> exceedLimit;
    private PreemptionOutcome onPreempt;
    private Duration minRuntime;
    private boolean preemptible;
    private PreemptWithin preemptWithin;
    private Duration preemptAfter;
    private Optional<DepartmentId> department;
    private Optional<String> group;
    private Optional<SpentBudget> spent;

    private Builder(Policy from) {
      id = from.id;
      reservation = from.reservation;
      limit = from.limit;
      weight = from.weight;
      perUserLimit = from.perUserLimit;
      exceedLimit = from.exceedLimit;
      onPreempt = from.onPreempt;
      minRuntime = from.minRuntime;
      preemptible = from.preemptible;
      preemptWithin = from.preemptWithin;
      preemptAfter = from.preemptAfter;
      department = from.department;
      group = from.group;
      spent = from.spent;
    }

    public Builder id(PolicyId value) {
      id = value;
      return this;
    }

    public Builder reservation(GpuQuantity value) {
      reservation = value;
      return this;
    }

    public Builder limit(GpuQuantity value) {
      limit = value;
      return this;
    }

    public Builder weight(int value) {
      weight = value;
      return this;
    }

    public Builder perUserLimit(Optional<GpuQuantity> value) {
      perUserLimit = value;
      return this;
    }

    public Builder exceedLimit(Set<UserId> value) {
      exceedLimit = value;
      return this;
    }

    public Builder onPreempt(PreemptionOutcome value) {
      onPreempt = value;
      return this;
    }

    public Builder minRuntime(Duration value) {
      minRuntime = value;
      return this;
    }

    public Builder preemptible(boolean value) {
      preemptible = value;
      return this;
    }

    public Builder preemptWithin(PreemptWithin value) {
      preemptWithin = value;
      return this;
    }

    public Builder preemptAfter(Duration value) {
      preemptAfter = value;
      return this;
    }

    public Builder department(Optional<DepartmentId> value) {
      department = value;
      return this;
    }

    public Builder group(Optional<String> value) {
      group = value;
      return this;
    }

    public Builder spent(Optional<SpentBudget> value) {
      spent = value;
      return this;
    }

    public Policy build() {
      return new Policy(
          id,
          reservation,
          limit,
          weight,
          perUserLimit,
          exceedLimit,
          onPreempt,
          minRuntime,
          preemptible,
          preemptWithin,
          preemptAfter,
          department,
          group,
          spent);
    }
  }
}
