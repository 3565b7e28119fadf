package io.headgate.scheduler.core.placement;

import static io.headgate.type.GpuQuantity.UNITS_PER_GPU;

import org.jspecify.annotations.Nullable;

/// Whether and where workers of a shape fit into what is free on one node (DESIGN A6). Devices are
/// given by parallel arrays; a device without kind offers nothing.
final class Fit {
  private Fit() {}

  /// How many workers fit at once, at most as many as the shape has. All are alike, so each device
  /// can be counted for itself.
  static int workers(
      Shape shape,
      long cpuMillis,
      long memoryBytes,
      @Nullable DeviceKind[] kinds,
      long[] units,
      long[] memory) {
    long most = shape.workers();
    if (shape.cpuMillis() > 0) {
      most = Math.min(most, cpuMillis / shape.cpuMillis());
    }
    if (shape.memoryBytes() > 0) {
      most = Math.min(most, memoryBytes / shape.memoryBytes());
    }
    if (shape.units() == 0 || most <= 0) {
      return (int) Math.max(0, most);
    }
    long onDevices = 0;
    int whole = shape.wholeDevices();
    for (int i = 0; i < units.length; i++) {
      DeviceKind kind = kinds[i];
      if (kind == null) {
        continue;
      }
      if (whole == 0) {
        onDevices += parts(shape, kind, units[i], memory[i]);
      } else if (isIdle(shape, kind, units[i], memory[i])) {
        onDevices++;
      }
    }
    return (int) Math.min(most, whole == 0 ? onDevices : onDevices / whole);
  }

  private static long parts(Shape shape, DeviceKind kind, long units, long memory) {
    if (units < shape.units() || !kind.divides(shape)) {
      return 0;
    }
    long each = shape.memoryOf(kind);
    long byUnits = units / shape.units();
    return each > 0 ? Math.min(byUnits, Math.max(0, memory) / each) : byUnits;
  }

  static boolean isIdle(Shape shape, DeviceKind kind, long units, long memory) {
    return units == UNITS_PER_GPU && memory == kind.memoryBytes() && kind.servesWhole(shape);
  }

  /// The fitting device with the least left, so that the others stay as whole as they are; the
  /// first of several. -1 when none fits.
  static int tightest(Shape shape, @Nullable DeviceKind[] kinds, long[] units, long[] memory) {
    int best = -1;
    for (int i = 0; i < units.length; i++) {
      DeviceKind kind = kinds[i];
      if (kind != null
          && (best < 0 || units[i] < units[best])
          && parts(shape, kind, units[i], memory[i]) > 0) {
        best = i;
      }
    }
    return best;
  }
}
