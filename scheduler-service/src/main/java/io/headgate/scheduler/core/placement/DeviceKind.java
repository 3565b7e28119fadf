package io.headgate.scheduler.core.placement;

import io.headgate.scheduler.core.catalog.Isolation;
import io.headgate.scheduler.core.node.Device;
import io.headgate.scheduler.core.node.Geometry;
import java.util.Comparator;
import org.jspecify.annotations.Nullable;

/// The properties of a device that placement needs besides its free capacity.
record DeviceKind(String model, long memoryBytes, Isolation isolation, Geometry geometry)
    implements Comparable<DeviceKind> {
  private static final Comparator<DeviceKind> ORDER =
      Comparator.comparingLong(DeviceKind::memoryBytes)
          .thenComparing(DeviceKind::isolation)
          .thenComparing(DeviceKind::model);

  static DeviceKind of(Device device) {
    return new DeviceKind(
        device.model(), device.memoryBytes(), device.isolation(), device.geometry());
  }

  /// Whether a part of it may be given to a worker of the shape.
  boolean divides(Shape shape) {
    return shape.admits(model) && isolation.compareTo(shape.isolation()) >= 0;
  }

  /// Its places; null when any part of it will do.
  Geometry.@Nullable Sliced sliced() {
    return geometry instanceof Geometry.Sliced sliced ? sliced : null;
  }

  /// The free memory or places of the idle device.
  long whole() {
    Geometry.Sliced sliced = sliced();
    return sliced == null ? memoryBytes : SliceRoom.whole(sliced);
  }

  /// Whether a worker of the shape may have it whole.
  boolean servesWhole(Shape shape) {
    return memoryBytes >= shape.gpuMemoryBytes() && shape.admits(model);
  }

  @Override
  public int compareTo(DeviceKind other) {
    int order = ORDER.compare(this, other);
    return order != 0 || geometry.equals(other.geometry)
        ? order
        : geometry.toString().compareTo(other.geometry.toString());
  }
}
