package io.headgate.scheduler.core.job;

import io.headgate.scheduler.core.catalog.Isolation;
import io.headgate.type.GpuQuantity;
import java.util.Optional;

/// The part of one device that a worker gets.
///
/// @param device index on the node
/// @param quantity the requested part of the device, which counts as used; 1 for a whole device
/// @param memoryBytes device memory that belongs to it
/// @param isolation what separates it from its neighbours on the device; a whole one has none, so
///   it is as good as divided hardware
/// @param placement where on the device it lies; absent where any part will do
public record Slice(
    int device,
    String uuid,
    GpuQuantity quantity,
    long memoryBytes,
    Isolation isolation,
    Optional<SlicePlacement> placement) {
  /// A part of a device that has no placements, and that nothing separates from others.
  public Slice(int device, String uuid, GpuQuantity quantity, long memoryBytes) {
    this(device, uuid, quantity, memoryBytes, Isolation.NONE, Optional.empty());
  }

  /// The isolation of a slice.
  ///
  /// @param ofParts the strongest isolation of a part of the device; none, if it is only simulated
  public static Isolation isolation(GpuQuantity quantity, Isolation ofParts) {
    return quantity.equals(GpuQuantity.ONE) && ofParts != Isolation.NONE
        ? Isolation.HARDWARE
        : ofParts;
  }
}
