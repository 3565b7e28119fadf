package io.headgate.scheduler.simulation;

import io.headgate.type.GpuQuantity;

/// A policy right after a change of configuration, and the waits of its jobs from then on.
///
/// @param waiting jobs that wait right after the change
public record PolicyForecast(
    GpuQuantity usage,
    GpuQuantity reservation,
    GpuQuantity limit,
    int waiting,
    WaitForecast expected) {}
