package io.headgate.pool.core.configuration;

import io.headgate.pool.core.node.Claims;
import java.util.Optional;
import java.util.TreeSet;

/// The shape of one machine of a pool. A provider makes the machines of an elastic pool so. For a
/// static pool it is the most that a machine has, and 0 of memory or CPUs means that the pool does
/// not say.
///
/// @param gpus whole GPUs
/// @param gpuModel absent when there are no GPUs; a static pool may leave it out with GPUs too
public record Instance(
    int gpus, Optional<String> gpuModel, long gpuMemoryBytes, long cpuMillis, long memoryBytes) {
  /// The most that a machine may claim at first.
  ///
  /// @param poolModel the only model of the pool, which counts where the instance names none
  public Claims most(Optional<String> poolModel) {
    return new Claims(
        gpus,
        new TreeSet<>(gpuModel.or(() -> poolModel).stream().toList()),
        gpuMemoryBytes,
        cpuMillis,
        memoryBytes,
        false);
  }
}
