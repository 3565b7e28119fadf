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
  public record Slice(
      int deviceIndex,
      String deviceUuid,
      GpuQuantity gpus,
      long memoryBytes,
      @Nullable Isolation isolation) {}
}
