package io.headgate.sdk.model;

import io.headgate.sdk.config.Profile.Isolation;
import io.headgate.type.GpuQuantity;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Slices of one worker on one node.
///
/// @param worker from 0
/// @param slices empty for a job without GPU
public record Placement(int worker, String node, List<Slice> slices) {
  public Placement {
    slices = List.copyOf(slices);
  }

  /// A device or a part of one.
  ///
  /// @param isolation its actual isolation; null: none
  /// @param place its place on the device; null: the device has no places
  public record Slice(
      int deviceIndex,
      String deviceUuid,
      GpuQuantity gpus,
      long memoryBytes,
      @Nullable Isolation isolation,
      @Nullable Place place) {}

  /// The place of a slice on a MIG or AMD device.
  ///
  /// @param profile its size in the driver's words
  /// @param start its first memory slice, from 0
  /// @param size number of its memory slices
  /// @param gives share of the device that it provides, at least the requested one
  public record Place(String profile, int start, int size, GpuQuantity gives) {}
}
