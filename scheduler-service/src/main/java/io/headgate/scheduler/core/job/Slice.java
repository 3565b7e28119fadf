package io.headgate.scheduler.core.job;

import io.headgate.type.GpuQuantity;
import java.util.Optional;

/// The part of one device that a worker gets.
///
/// @param device index on the node
/// @param quantity what was asked of it, and what counts as used; 1 for a whole device
/// @param memoryBytes device memory that belongs to it
/// @param placement where on the device it lies; absent where any part will do
public record Slice(
    int device,
    String uuid,
    GpuQuantity quantity,
    long memoryBytes,
    Optional<SlicePlacement> placement) {
  /// A part of a device that has no placements.
  public Slice(int device, String uuid, GpuQuantity quantity, long memoryBytes) {
    this(device, uuid, quantity, memoryBytes, Optional.empty());
  }
}
