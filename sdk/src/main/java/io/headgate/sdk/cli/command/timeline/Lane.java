package io.headgate.sdk.cli.command.timeline;

import io.headgate.type.GpuQuantity;
import java.util.List;

/// A row: slices of one size on one device that follow one another.
///
/// @param bars by begin; they do not overlap. None: the device was free, and `place` is all of it
record Lane(Bar.Place place, List<Bar> bars) {
  Lane {
    bars = List.copyOf(bars);
  }

  boolean isFree() {
    return bars.isEmpty();
  }

  /// The size of the slices; `-` of a free device.
  String slice() {
    return isFree() ? "-" : place.quantity().mixed();
  }

  boolean isOn(Lane other) {
    return place.pool().equals(other.place.pool())
        && place.node().equals(other.place.node())
        && place.device() == other.place.device();
  }

  /// A lane of a device that nothing used.
  static Lane free(String pool, String node, int device) {
    return new Lane(new Bar.Place(pool, node, device, GpuQuantity.ONE), List.of());
  }
}
