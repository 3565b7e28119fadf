package io.headgate.scheduler.core.placement;

import io.headgate.scheduler.core.catalog.Isolation;
import io.headgate.scheduler.core.node.Device;
import io.headgate.scheduler.core.node.Geometry;
import java.util.Comparator;

/// What placement has to know of a device besides what is free on it.
record DeviceKind(long memoryBytes, Isolation isolation, Geometry geometry)
    implements Comparable<DeviceKind> {
  private static final Comparator<DeviceKind> ORDER =
      Comparator.comparingLong(DeviceKind::memoryBytes).thenComparing(DeviceKind::isolation);

  static DeviceKind of(Device device) {
    return new DeviceKind(device.memoryBytes(), device.isolation(), device.geometry());
  }

  /// Whether a part of it may be given to a worker of the shape.
  boolean divides(Shape shape) {
    return switch (geometry) {
      case Geometry.Continuous() -> isolation.compareTo(shape.isolation()) >= 0;
    };
  }

  /// Whether a worker of the shape may have it whole.
  boolean servesWhole(Shape shape) {
    return memoryBytes >= shape.gpuMemoryBytes();
  }

  @Override
  public int compareTo(DeviceKind other) {
    return ORDER.compare(this, other);
  }
}
