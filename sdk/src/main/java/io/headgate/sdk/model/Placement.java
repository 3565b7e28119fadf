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

  /// Part of a device, or a whole one.
  ///
  /// @param isolation that it really has; null: none
  /// @param place where on the device it lies; null: the device has no places
  public record Slice(
      int deviceIndex,
      String deviceUuid,
      GpuQuantity gpus,
      long memoryBytes,
      @Nullable Isolation isolation,
      @Nullable Place place) {}

  /// Where on a MIG or AMD device a slice lies.
  ///
  /// @param profile its size as the driver calls it
  /// @param start its first memory slice, from 0
  /// @param size how many memory slices it takes
  /// @param gives what it gives of the device, at least what was asked
  public record Place(String profile, int start, int size, GpuQuantity gives) {}
}
