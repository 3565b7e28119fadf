package io.headgate.scheduler.core.catalog;

import io.headgate.type.GpuQuantity;
import java.util.List;
import java.util.OptionalLong;

/// A job size with its pools.
///
/// @param gpus per worker: none, a part of one GPU, or whole GPUs
/// @param workers more than one makes a gang: all or nothing, in one pool
/// @param cpuMillis per worker, thousandths of a core
/// @param memoryBytes per worker, main memory
/// @param gpuMemoryBytes least device memory per GPU or part of it; absent: the same part of the
///   device's memory as of the device
/// @param isolation weakest isolation that a part of a device may have
/// @param pools routing order (DESIGN O6)
public record Profile(
    ProfileId id,
    GpuQuantity gpus,
    int workers,
    long cpuMillis,
    long memoryBytes,
    OptionalLong gpuMemoryBytes,
    Isolation isolation,
    List<PoolId> pools,
    Reclaim reclaim) {
  public Profile {
    pools = List.copyOf(pools);
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

  /// What one job of this size adds to its policy's usage.
  public GpuQuantity need() {
    return gpus.times(workers);
  }
}
