package io.headgate.scheduler.core.placement;

import static io.headgate.type.GpuQuantity.UNITS_PER_GPU;

import io.headgate.scheduler.core.catalog.Isolation;
import io.headgate.scheduler.core.catalog.Profile;

/// What a job takes, without names: profiles of the same shape are alike to placement.
///
/// @param units of GPU per worker, in 1/126000: a part of one device, or whole devices
/// @param gpuMemoryBytes least memory on each device; [#PROPORTIONAL]: as much of it as of the
///   device
/// @param isolation weakest that a part of a device may have
public record Shape(
    long units,
    long gpuMemoryBytes,
    long cpuMillis,
    long memoryBytes,
    Isolation isolation,
    int workers) {
  /// Of the memory of a device as much as of the device.
  public static final long PROPORTIONAL = -1;

  public static Shape of(Profile profile) {
    return new Shape(
        profile.gpus().units(),
        profile.gpuMemoryBytes().orElse(PROPORTIONAL),
        profile.cpuMillis(),
        profile.memoryBytes(),
        profile.gpus().isFraction() ? profile.isolation() : Isolation.NONE,
        profile.workers());
  }

  /// Units of all workers together.
  public long needUnits() {
    return units * workers;
  }

  public boolean isFraction() {
    return units > 0 && units < UNITS_PER_GPU;
  }

  public boolean isGang() {
    return workers > 1;
  }

  /// Whole devices per worker; 0 for a part of one and for none.
  public int wholeDevices() {
    return (int) (units / UNITS_PER_GPU);
  }

  /// Memory that a worker takes of a device of which it takes a part; rounded down, so that parts
  /// that add up to a device have room for their memory.
  long memoryOf(DeviceKind kind) {
    if (gpuMemoryBytes != PROPORTIONAL) {
      return gpuMemoryBytes;
    }
    // In two steps, so that no memory size overflows.
    return kind.memoryBytes() / UNITS_PER_GPU * units
        + kind.memoryBytes() % UNITS_PER_GPU * units / UNITS_PER_GPU;
  }
}
