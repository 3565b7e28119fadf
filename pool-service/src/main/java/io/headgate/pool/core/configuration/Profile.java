package io.headgate.pool.core.configuration;

import io.headgate.pool.core.name.PoolId;
import io.headgate.pool.core.name.ProfileId;
import io.headgate.pool.core.node.Isolation;
import io.headgate.type.GpuQuantity;
import java.time.Duration;
import java.util.List;

/// A job size, and the pools where such jobs may run.
///
/// @param gpus of one worker: none, a part of one GPU, or whole GPUs
/// @param workers more than one form a gang
/// @param cpuMillis of one worker; 0: not counted
/// @param memoryBytes of one worker; 0: not counted
/// @param gpuMemoryBytes of one worker's slice; 0: the same fraction of the device's memory
/// @param gpuModels accepted models, by name; empty: all models of its pools
/// @param images whether its jobs may have an image; then they go only to nodes that run images
/// @param pools in routing order
/// @param holdAfter waiting time after which a blocked job holds capacity (O7)
/// @param preemptionDelay time that an entitled job waits for an elastic pool before it preempts
///   (P6)
public record Profile(
    ProfileId id,
    GpuQuantity gpus,
    int workers,
    long cpuMillis,
    long memoryBytes,
    long gpuMemoryBytes,
    Isolation isolation,
    List<String> gpuModels,
    boolean images,
    List<PoolId> pools,
    Duration holdAfter,
    Duration preemptionDelay,
    Reclaim reclaim,
    String description) {
  public static final Duration DEFAULT_HOLD_AFTER = Duration.ofMinutes(10);
  public static final Duration DEFAULT_PREEMPTION_DELAY = Duration.ofMinutes(5);

  public Profile {
    gpuModels = gpuModels.stream().sorted().toList();
    pools = List.copyOf(pools);
    if (!gpus.isWhole() && !gpus.isFraction()) {
      throw new IllegalArgumentException(
          "profile " + id + ": " + gpus + " is neither a part of one GPU nor whole GPUs");
    }
  }

  /// The profile without a removed pool.
  Profile without(PoolId pool) {
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
        pools.stream().filter(named -> !named.equals(pool)).toList(),
        holdAfter,
        preemptionDelay,
        reclaim,
        description);
  }
}
