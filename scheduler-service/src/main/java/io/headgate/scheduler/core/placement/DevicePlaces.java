package io.headgate.scheduler.core.placement;

import io.headgate.scheduler.core.catalog.Isolation;
import io.headgate.scheduler.core.job.SlicePlacement;
import io.headgate.scheduler.core.node.Device;
import io.headgate.scheduler.core.node.Geometry;
import io.headgate.scheduler.core.node.SliceProfile;
import io.headgate.type.GpuQuantity;
import java.util.List;
import java.util.Optional;

/// The places of one sliced device, for callers that choose places without the core.
public final class DevicePlaces {
  private final DeviceKind kind;
  private final Geometry.Sliced geometry;
  private long left;

  /// An idle device.
  ///
  /// @throws IllegalArgumentException when the device has no places
  public DevicePlaces(Device device) {
    kind = DeviceKind.of(device);
    Geometry.Sliced sliced = kind.sliced();
    if (sliced == null) {
      throw new IllegalArgumentException("device " + device.uuid() + " has no places");
    }
    geometry = sliced;
    left = SliceRoom.whole(sliced);
  }

  /// Takes a place, if the device has it and it is free.
  ///
  /// @param profile as the device calls it
  /// @param start its first memory slice
  public Optional<SlicePlacement> take(String profile, int start) {
    for (SliceProfile known : geometry.profiles()) {
      if (known.name().equals(profile) && SliceRoom.isFree(geometry, known, start, left)) {
        return Optional.of(take(SliceRoom.placement(geometry, known, start)));
      }
    }
    return Optional.empty();
  }

  /// Takes the best place for a part, or for the whole; empty when none is free.
  ///
  /// @param part of the device
  /// @param memoryBytes least memory of it; [Shape#PROPORTIONAL]: as much as the part says
  public Optional<SlicePlacement> take(GpuQuantity part, long memoryBytes) {
    Shape shape = new Shape(part.units(), memoryBytes, 0, 0, Isolation.NONE, List.of(), false, 1);
    return SliceRoom.count(kind, geometry, shape, left) == 0
        ? Optional.empty()
        : Optional.of(take(SliceRoom.choose(kind, geometry, shape, left)));
  }

  private SlicePlacement take(SlicePlacement placement) {
    left = SliceRoom.without(geometry, left, placement);
    return placement;
  }

  /// Memory of the device that belongs to the place.
  public long memoryBytes(SlicePlacement placement) {
    return SliceRoom.memoryBytes(kind, geometry, placement.size());
  }

  /// All places that the device has, as `1g@0` and so on.
  public List<String> all() {
    return geometry.profiles().stream()
        .flatMap(profile -> profile.starts().stream().map(start -> profile.name() + "@" + start))
        .toList();
  }
}
