package io.headgate.scheduler.core.placement;

import static io.headgate.type.GpuQuantity.UNITS_PER_GPU;

import io.headgate.scheduler.core.catalog.Isolation;
import io.headgate.scheduler.core.catalog.Profile;
import io.headgate.scheduler.core.placement.policy.TaskClass;
import java.util.List;

/// The needs of a job, without names: profiles of one shape are alike to placement.
///
/// @param units of GPU per worker, in 1/126000: a part of one device, or whole devices
/// @param gpuMemoryBytes least memory on each device; [#PROPORTIONAL]: a part of the memory as
///   large as the part of the device
/// @param isolation weakest that a part of a device may have
/// @param gpuModels admitted models of its devices, sorted; empty: any
/// @param images whether its node must run jobs with an image
public record Shape(
    long units,
    long gpuMemoryBytes,
    long cpuMillis,
    long memoryBytes,
    Isolation isolation,
    List<String> gpuModels,
    boolean images,
    int workers) {
  /// Asks for the same part of the device's memory as of the device.
  public static final long PROPORTIONAL = -1;

  public Shape {
    gpuModels = List.copyOf(gpuModels);
  }

  public static Shape of(Profile profile) {
    return new Shape(
        profile.gpus().units(),
        profile.gpuMemoryBytes().orElse(PROPORTIONAL),
        profile.cpuMillis(),
        profile.memoryBytes(),
        profile.gpus().isFraction() ? profile.isolation() : Isolation.NONE,
        // A job without devices needs no model.
        profile.gpus().units() == 0 ? List.of() : profile.gpuModels().stream().sorted().toList(),
        profile.images(),
        profile.workers());
  }

  Shape withWorkers(int count) {
    return new Shape(
        units, gpuMemoryBytes, cpuMillis, memoryBytes, isolation, gpuModels, images, count);
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

  /// Whether its devices may be of the model.
  boolean admits(String model) {
    return gpuModels.isEmpty() || gpuModels.contains(model);
  }

  /// Whole devices per worker; 0 for a part of one and for none.
  public int wholeDevices() {
    return (int) (units / UNITS_PER_GPU);
  }

  /// One worker as packing sees it.
  public TaskClass task() {
    return isFraction()
        ? new TaskClass(1, (int) units, cpuMillis, gpuModels)
        : new TaskClass(wholeDevices(), units == 0 ? 0 : (int) UNITS_PER_GPU, cpuMillis, gpuModels);
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
