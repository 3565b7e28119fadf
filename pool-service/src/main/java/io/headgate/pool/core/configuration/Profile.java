package io.headgate.pool.core.configuration;

import io.headgate.pool.core.name.PoolId;
import io.headgate.pool.core.name.ProfileId;
import io.headgate.pool.core.node.Isolation;
import io.headgate.type.GpuQuantity;
import java.time.Duration;
import java.util.List;

/// A job size and the pools it may run in.
///
/// @param gpus of one worker: none, a part of one GPU, or whole GPUs
/// @param workers more than one make a gang
/// @param cpuMillis of one worker; 0: none counted
/// @param memoryBytes of one worker; 0: none counted
/// @param gpuMemoryBytes of one worker's slice; 0: the same fraction of the device's memory
/// @param gpuModels of which its devices may be, by name; empty: any that its pools have
/// @param images its jobs may have an image, so they go only to nodes that run such
/// @param pools in routing order
/// @param holdAfter a blocked job holds capacity after waiting this long (O7)
/// @param preemptionDelay an entitled job waits so long for an elastic pool before it preempts (P6)
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

  /// The same profile without a pool that is no more.
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
