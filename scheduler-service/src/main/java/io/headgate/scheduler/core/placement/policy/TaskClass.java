package io.headgate.scheduler.core.placement.policy;

import java.util.Comparator;
import java.util.List;

/// Tasks that are alike to packing: each is one worker of a job. Main memory does not count.
///
/// @param devices on how many devices of one node; 0: none
/// @param units of each of them, in 1/126000 GPU; less than a whole one only of one device
/// @param gpuModels of which the devices may be, sorted; empty: any
public record TaskClass(int devices, int units, long cpuMillis, List<String> gpuModels)
    implements Comparable<TaskClass> {
  private static final Comparator<TaskClass> ORDER =
      Comparator.comparingInt(TaskClass::devices)
          .thenComparingInt(TaskClass::units)
          .thenComparingLong(TaskClass::cpuMillis)
          .thenComparing(task -> String.join("\n", task.gpuModels()));

  public TaskClass {
    gpuModels = List.copyOf(gpuModels);
    if (devices < 0 || units < 0 || cpuMillis < 0 || (devices == 0) != (units == 0)) {
      throw new IllegalArgumentException(
          "devices %d, units %d, cpuMillis %d".formatted(devices, units, cpuMillis));
    }
  }

  /// Units on all its devices together.
  public long totalUnits() {
    return (long) devices * units;
  }

  /// Any order will do that depends on nothing but the content.
  @Override
  public int compareTo(TaskClass other) {
    return ORDER.compare(this, other);
  }
}
