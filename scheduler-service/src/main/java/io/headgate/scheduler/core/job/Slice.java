package io.headgate.scheduler.core.job;

import io.headgate.type.GpuQuantity;

/// The part of one device that a worker gets.
///
/// @param device index on the node
/// @param quantity 1 for a whole device
/// @param memoryBytes device memory that belongs to it
public record Slice(int device, String uuid, GpuQuantity quantity, long memoryBytes) {}
