package io.headgate.scheduler.core.catalog;

import io.headgate.type.GpuQuantity;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;

/// A job size with its pools.
///
/// @param gpus per worker: none, a part of one GPU, or whole GPUs
/// @param workers more than one makes a gang: all or nothing, in one pool
/// @param cpuMillis per worker, thousandths of a core
/// @param memoryBytes per worker, main memory
/// @param gpuMemoryBytes least device memory per GPU or part of it; absent: the same part of the
///   device's memory as of the device
/// @param isolation weakest isolation that a part of a device may have
/// @param gpuModels models of which its devices may be; empty: any that its pools have
/// @param images its jobs may have an image, so they go only to nodes that run such
/// @param pools routing order (O6)
/// @param holdAfter a blocked job of it holds capacity after waiting for this time (O7)
/// @param preemptionDelay how long an entitled job of it waits for an elastic pool before it
///   preempts (P6)
public record Profile(
    ProfileId id,
    GpuQuantity gpus,
    int workers,
    long cpuMillis,
    long memoryBytes,
    OptionalLong gpuMemoryBytes,
    Isolation isolation,
    Set<String> gpuModels,
    boolean images,
    List<PoolId> pools,
    Duration holdAfter,
    Duration preemptionDelay,
    Reclaim reclaim) {
  /// How long a blocked job waits before it holds capacity, unless its profile says otherwise.
  public static final Duration DEFAULT_HOLD_AFTER = Duration.ofMinutes(10);

  /// How long an entitled job waits for an elastic pool, unless its profile says otherwise.
  public static final Duration DEFAULT_PREEMPTION_DELAY = Duration.ofMinutes(5);

  public Profile {
    gpuModels = Set.copyOf(gpuModels);
    pools = List.copyOf(pools);
    if (holdAfter.isNegative() || preemptionDelay.isNegative()) {
      throw new IllegalArgumentException(
          "profile %s: holdAfter %s, preemptionDelay %s".formatted(id, holdAfter, preemptionDelay));
    }
    if (!gpus.isWhole() && !gpus.isFraction()) {
      throw new IllegalArgumentException(
          "profile " + id + ": " + gpus + " GPUs is neither a part of one GPU nor whole GPUs");
    }
    if (workers < 1 || cpuMillis < 0 || memoryBytes < 0) {
      throw new IllegalArgumentException(
          "profile %s: workers %d, cpuMillis %d, memoryBytes %d"
              .formatted(id, workers, cpuMillis, memoryBytes));
    }
  }

  /// The GPUs that one job of this size adds to its policy's usage.
  public GpuQuantity need() {
    return gpus.times(workers);
  }

  /// A profile of one worker with the defaults: no CPU, memory or isolation counted.
  public static Profile of(ProfileId id, GpuQuantity gpus, List<PoolId> pools) {
    return new Profile(
        id,
        gpus,
        1,
        0,
        0,
        OptionalLong.empty(),
        Isolation.NONE,
        Set.of(),
        false,
        pools,
        DEFAULT_HOLD_AFTER,
        DEFAULT_PREEMPTION_DELAY,
        Reclaim.RESERVATION);
  }

  /// A copy with some fields changed.
  public Builder with() {
    return new Builder(this);
  }

  /// Changes fields one by one; not shared between threads.
  public static final class Builder {
    private final ProfileId id;
    private GpuQuantity gpus;
    private int workers;
    private long cpuMillis;
    private long memoryBytes;
    private OptionalLong gpuMemoryBytes;
    private Isolation isolation;
    private Set<String> gpuModels;
    private boolean images;
    private List<PoolId> pools;
    private Duration holdAfter;
    private Duration preemptionDelay;
    private Reclaim reclaim;

    private Builder(Profile from) {
      id = from.id;
      gpus = from.gpus;
      workers = from.workers;
      cpuMillis = from.cpuMillis;
      memoryBytes = from.memoryBytes;
      gpuMemoryBytes = from.gpuMemoryBytes;
      isolation = from.isolation;
      gpuModels = from.gpuModels;
      images = from.images;
      pools = from.pools;
      holdAfter = from.holdAfter;
      preemptionDelay = from.preemptionDelay;
      reclaim = from.reclaim;
    }

    public Builder gpus(GpuQuantity value) {
      gpus = value;
      return this;
    }

    public Builder workers(int value) {
      workers = value;
      return this;
    }

    public Builder cpuMillis(long value) {
      cpuMillis = value;
      return this;
    }

    public Builder memoryBytes(long value) {
      memoryBytes = value;
      return this;
    }

    public Builder gpuMemoryBytes(OptionalLong value) {
      gpuMemoryBytes = value;
      return this;
    }

    public Builder isolation(Isolation value) {
      isolation = value;
      return this;
    }

    public Builder gpuModels(Set<String> value) {
      gpuModels = value;
      return this;
    }

    public Builder images(boolean value) {
      images = value;
      return this;
    }

    public Builder pools(List<PoolId> value) {
      pools = value;
      return this;
    }

    public Builder holdAfter(Duration value) {
      holdAfter = value;
      return this;
    }

    public Builder preemptionDelay(Duration value) {
      preemptionDelay = value;
      return this;
    }

    public Builder reclaim(Reclaim value) {
      reclaim = value;
      return this;
    }

    public Profile build() {
      return new Profile(
          id,
          gpus,
          workers,
          cpuMillis,
          memoryBytes,
          gpuMemoryBytes,
          isolation,
          gpuModels,
          images,
          pools,
          holdAfter,
          preemptionDelay,
          reclaim);
    }
  }
}
