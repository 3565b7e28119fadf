package io.headgate.scheduler.core.placement;

import static io.headgate.type.GpuQuantity.UNITS_PER_GPU;

import io.headgate.scheduler.core.node.Geometry;
import org.jspecify.annotations.Nullable;

/// Whether and where workers of a shape fit into the free capacity of one node (A6). Parallel
/// arrays describe the devices; a device without a kind offers nothing. `left` is a device's free
/// memory in bytes, or the free places of a sliced device ([SliceRoom]).
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
      long[] left) {
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
        onDevices += parts(shape, kind, units[i], left[i]);
      } else if (isIdle(shape, kind, units[i], left[i])) {
        onDevices++;
      }
    }
    return (int) Math.min(most, whole == 0 ? onDevices : onDevices / whole);
  }

  static long parts(Shape shape, DeviceKind kind, long units, long left) {
    if (units < shape.units() || !kind.divides(shape)) {
      return 0;
    }
    long byUnits = units / shape.units();
    Geometry.Sliced sliced = kind.sliced();
    if (sliced != null) {
      return Math.min(byUnits, SliceRoom.count(kind, sliced, shape, left));
    }
    long each = shape.memoryOf(kind);
    return each > 0 ? Math.min(byUnits, Math.max(0, left) / each) : byUnits;
  }

  static boolean isIdle(Shape shape, DeviceKind kind, long units, long left) {
    return units == UNITS_PER_GPU && left == kind.whole() && kind.servesWhole(shape);
  }

  /// The fitting device with the least left, so that the others stay as whole as they are; the
  /// first of several. Devices that would give a larger slice than an idle one come last. -1 when
  /// none fits.
  static int tightest(Shape shape, @Nullable DeviceKind[] kinds, long[] units, long[] left) {
    int best = -1;
    long least = Long.MAX_VALUE;
    for (int i = 0; i < units.length; i++) {
      DeviceKind kind = kinds[i];
      if (kind == null || units[i] >= least || parts(shape, kind, units[i], left[i]) == 0) {
        continue;
      }
      long measure = wastes(shape, kind, left[i]) ? UNITS_PER_GPU + units[i] : units[i];
      if (measure < least) {
        best = i;
        least = measure;
      }
    }
    return best;
  }

  /// Whether a part would get a larger slice of the device than of an idle one.
  static boolean wastes(Shape shape, DeviceKind kind, long left) {
    Geometry.Sliced sliced = kind.sliced();
    return sliced != null && SliceRoom.isOversized(kind, sliced, shape, left);
  }
}
