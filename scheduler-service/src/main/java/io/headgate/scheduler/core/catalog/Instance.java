package io.headgate.scheduler.core.catalog;

/// The shape of one instance of an elastic pool.
///
/// @param gpus whole devices
/// @param gpuModel of its devices; empty when it has none
/// @param gpuMemoryBytes of each device
/// @param isolation strongest that a part of a device can get there
/// @param cpuMillis for jobs, thousandths of a core
/// @param memoryBytes for jobs, main memory
public record Instance(
    int gpus,
    String gpuModel,
    long gpuMemoryBytes,
    Isolation isolation,
    long cpuMillis,
    long memoryBytes) {}
