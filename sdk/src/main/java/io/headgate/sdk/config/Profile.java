package io.headgate.sdk.config;

import io.headgate.type.GpuQuantity;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// A job size and the pools it may run in.
///
/// @param gpus of one worker
/// @param workers more than one is a gang
/// @param cpuMillis of one worker in thousandths of a core; 0: not counted
/// @param memoryBytes of one worker; 0: not counted
/// @param gpuMemoryBytes of one worker's slice; 0: the same fraction of the device's memory
/// @param isolation weakest acceptable; null: any
/// @param gpuModels acceptable models of its devices, in no order; empty: any
/// @param images its jobs may name an image and use only nodes that run images
/// @param pools in routing order
/// @param preemptionDelay time that an entitled job waits for an elastic pool before it preempts
public record Profile(
    String name,
    GpuQuantity gpus,
    int workers,
    long cpuMillis,
    long memoryBytes,
    long gpuMemoryBytes,
    @Nullable Isolation isolation,
    List<String> gpuModels,
    boolean images,
    List<String> pools,
    Duration holdAfter,
    Duration preemptionDelay,
    Reclaim reclaim,
    @Nullable String description) {
  public static final Duration DEFAULT_HOLD_AFTER = Duration.ofMinutes(10);
  public static final Duration DEFAULT_PREEMPTION_DELAY = Duration.ofMinutes(5);

  public Profile {
    gpuModels = List.copyOf(gpuModels);
    pools = List.copyOf(pools);
  }

  /// The same in other pools.
  public Profile withPools(List<String> others) {
    return new Profile(
        name,
        gpus,
        workers,
        cpuMillis,
        memoryBytes,
        gpuMemoryBytes,
        isolation,
        gpuModels,
        images,
        others,
        holdAfter,
        preemptionDelay,
        reclaim,
        description);
  }

  /// GPUs of a whole job: all its workers together.
  public GpuQuantity need() {
    return gpus.times(workers);
  }

  /// The mechanism that separates jobs on one device, strongest first.
  public enum Isolation implements Keyword {
    HARDWARE,
    DRIVER_CONTAINER,
    DRIVER_PROCESS,
    REACTIVE
  }

  /// The jobs that a waiting job of this profile may preempt.
  public enum Reclaim implements Keyword {
    RESERVATION,
    STRICT,
    RANK,
    FAIR
  }
}
