package io.headgate.sdk.cli.command.timeline;

import io.headgate.type.GpuQuantity;
import java.util.List;

/// A row of the drawing: slices of one size on one device that follow one another.
///
/// @param bars by begin; they do not overlap. None: nothing used the device, and `place` is all of
///   it
/// @param downs of the device, in which a slice of this size took no work
record Track(Bar.Place place, List<Bar> bars, List<Down> downs) {
  Track {
    bars = List.copyOf(bars);
    downs = List.copyOf(downs);
  }

  /// @param downs of the device
  static Track used(Bar.Place place, List<Bar> bars, List<Down> downs) {
    return new Track(
        place,
        bars,
        downs.stream().filter(down -> down.quantity().compareTo(place.quantity()) >= 0).toList());
  }

  boolean isUnused() {
    return bars.isEmpty();
  }

  boolean isFree() {
    return isUnused() && downs.isEmpty();
  }

  /// The size of the slices; `-` of a device that nothing used.
  String slice() {
    return isUnused() ? "-" : place.quantity().mixed();
  }

  boolean isOn(Track other) {
    return place.pool().equals(other.place.pool())
        && place.node().equals(other.place.node())
        && place.device() == other.place.device();
  }

  /// A track of a device that nothing used.
  static Track unused(Timeline.Device device, List<Down> downs) {
    return new Track(
        new Bar.Place(device.pool(), device.node(), device.index(), GpuQuantity.ONE),
        List.of(),
        downs);
  }
}
