package io.headgate.scheduler.core.job;

import io.headgate.type.GpuQuantity;

/// Where on a device that has placements a slice lies.
///
/// @param profile its size, as the device calls it: `3g`, `CPX`; of AMD devices that is the mode
/// @param start its first memory slice, from 0; the partition's index is start ÷ size
/// @param size how many memory slices it takes, from 1
/// @param gives the part of the device that it gives, at least the requested part
public record SlicePlacement(String profile, int start, int size, GpuQuantity gives) {
  /// The most memory slices of any device.
  private static final int MAX = 8;

  public SlicePlacement {
    if (profile.isEmpty() || start < 0 || size < 1 || start + size > MAX) {
      throw new IllegalArgumentException(
          "placement \"%s\" at %d of %d memory slices".formatted(profile, start, size));
    }
  }

  /// `3g@4`.
  public String label() {
    return profile + "@" + start;
  }
}
