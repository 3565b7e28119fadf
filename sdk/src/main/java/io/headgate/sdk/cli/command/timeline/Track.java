package io.headgate.sdk.cli.command.timeline;

import io.headgate.type.GpuQuantity;
import java.util.List;

/// A row of the drawing: slices of one size on one device that follow one another.
///
/// @param bars by begin; they do not overlap. None: the device was free, and `place` is all of it
record Track(Bar.Place place, List<Bar> bars) {
  Track {
    bars = List.copyOf(bars);
  }

  boolean isFree() {
    return bars.isEmpty();
  }

  /// The size of the slices; `-` of a free device.
  String slice() {
    return isFree() ? "-" : place.quantity().mixed();
  }

  boolean isOn(Track other) {
    return place.pool().equals(other.place.pool())
        && place.node().equals(other.place.node())
        && place.device() == other.place.device();
  }

  /// A track of a device that nothing used.
  static Track free(String pool, String node, int device) {
    return new Track(new Bar.Place(pool, node, device, GpuQuantity.ONE), List.of());
  }
}
