package io.headgate.agent.core;

import io.headgate.type.GpuQuantity;
import java.util.Optional;

/// The part of one device that an attempt gets.
///
/// @param gpus more than nothing, at most one whole device
/// @param memoryBytes device memory of the slice; 0: the same part of the device's memory
/// @param place where on the device it lies; absent: the device has no places
public record SliceGrant(
    int deviceIndex,
    String deviceUuid,
    GpuQuantity gpus,
    long memoryBytes,
    Optional<SlicePlace> place) {
  /// A part of a device that has no places.
  public SliceGrant(int deviceIndex, String deviceUuid, GpuQuantity gpus, long memoryBytes) {
    this(deviceIndex, deviceUuid, gpus, memoryBytes, Optional.empty());
  }

  public SliceGrant {
    if (gpus.units() <= 0 || gpus.compareTo(GpuQuantity.ONE) > 0) {
      throw new IllegalArgumentException(
          "slice of " + gpus + " GPU on " + deviceUuid + " must be more than 0 and at most 1");
    }
    if (memoryBytes < 0) {
      throw new IllegalArgumentException("negative memory of a slice on " + deviceUuid);
    }
  }

  /// The memory that the slice really stands for on its device.
  ///
  /// Example: 1/2 of a device with 80 GiB and no memory of its own is 40 GiB.
  public long effectiveMemoryBytes(DeviceInfo device) {
    if (memoryBytes > 0) {
      return memoryBytes;
    }
    // The product may pass 2^63 for a device of some 70 TB; divide first by whole units then.
    return Math.multiplyHigh(device.memoryBytes(), gpus.units()) == 0
        ? device.memoryBytes() * gpus.units() / GpuQuantity.UNITS_PER_GPU
        : device.memoryBytes() / GpuQuantity.UNITS_PER_GPU * gpus.units();
  }
}
