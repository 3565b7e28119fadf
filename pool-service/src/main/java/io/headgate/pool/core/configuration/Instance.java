package io.headgate.pool.core.configuration;

import java.util.Optional;

/// The shape of one elastic instance.
///
/// @param gpus whole GPUs
/// @param gpuModel absent exactly when there are no GPUs
public record Instance(
    int gpus, Optional<String> gpuModel, long gpuMemoryBytes, long cpuMillis, long memoryBytes) {}
