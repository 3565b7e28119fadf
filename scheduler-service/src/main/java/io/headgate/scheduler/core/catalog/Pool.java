package io.headgate.scheduler.core.catalog;

import io.headgate.type.GpuQuantity;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/// Hardware of one kind that jobs can run on.
///
/// @param gpuModel only devices of this model belong; absent: every device of its nodes
/// @param capacity ceiling on the pool's usage, whatever nodes offer (A7)
/// @param order execution priority of profiles, best first; profiles not named share the last
///   position (O2)
/// @param dedicatedTo the only policy that may use it; absent: all may
/// @param elasticity absent: the pool is static, its nodes join by themselves
/// @param promoteAfter a job that waits for longer counts as of the first position and rank (O7);
///   absent: never
/// @param halfLife past over-reservation use counts in O4, halved after each such time; absent:
///   only the present use counts
/// @param consolidate whether movable jobs may be moved to make room (P11)
public record Pool(
    PoolId id,
    Optional<String> gpuModel,
    Optional<GpuQuantity> capacity,
    List<ProfileId> order,
    Optional<PolicyId> dedicatedTo,
    Optional<Elasticity> elasticity,
    Optional<Duration> promoteAfter,
    Optional<Duration> halfLife,
    boolean consolidate) {
  public Pool {
    order = List.copyOf(order);
    if (promoteAfter.filter(Duration::isNegative).isPresent()
        || halfLife.filter(time -> !time.isPositive()).isPresent()) {
      throw new IllegalArgumentException(
          "pool %s: promoteAfter %s, halfLife %s".formatted(id, promoteAfter, halfLife));
    }
  }

  /// A static pool of any devices, open to everybody.
  public static Pool of(PoolId id) {
    return new Pool(
        id,
        Optional.empty(),
        Optional.empty(),
        List.of(),
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        false);
  }

  /// A copy with some fields changed.
  public Builder with() {
    return new Builder(this);
  }

  /// Changes fields one by one; not shared between threads.
  public static final class Builder {
    private final PoolId id;
    private Optional<String> gpuModel;
    private Optional<GpuQuantity> capacity;
    private List<ProfileId> order;
    private Optional<PolicyId> dedicatedTo;
    private Optional<Elasticity> elasticity;
    private Optional<Duration> promoteAfter;
    private Optional<Duration> halfLife;
    private boolean consolidate;

    private Builder(Pool from) {
      id = from.id;
      gpuModel = from.gpuModel;
      capacity = from.capacity;
      order = from.order;
      dedicatedTo = from.dedicatedTo;
      elasticity = from.elasticity;
      promoteAfter = from.promoteAfter;
      halfLife = from.halfLife;
      consolidate = from.consolidate;
    }

    public Builder gpuModel(Optional<String> value) {
      gpuModel = value;
      return this;
    }

    public Builder capacity(Optional<GpuQuantity> value) {
      capacity = value;
      return this;
    }

    public Builder order(List<ProfileId> value) {
      order = value;
      return this;
    }

    public Builder dedicatedTo(Optional<PolicyId> value) {
      dedicatedTo = value;
      return this;
    }

    public Builder elasticity(Optional<Elasticity> value) {
      elasticity = value;
      return this;
    }

    public Builder promoteAfter(Optional<Duration> value) {
      promoteAfter = value;
      return this;
    }

    public Builder halfLife(Optional<Duration> value) {
      halfLife = value;
      return this;
    }

    public Builder consolidate(boolean value) {
      consolidate = value;
      return this;
    }

    public Pool build() {
      return new Pool(
          id,
          gpuModel,
          capacity,
          order,
          dedicatedTo,
          elasticity,
          promoteAfter,
          halfLife,
          consolidate);
    }
  }
}
