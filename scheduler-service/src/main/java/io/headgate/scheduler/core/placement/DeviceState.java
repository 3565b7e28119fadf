package io.headgate.scheduler.core.placement;

import static io.headgate.type.GpuQuantity.UNITS_PER_GPU;

import io.headgate.scheduler.core.job.Slice;
import io.headgate.scheduler.core.node.Device;
import io.headgate.scheduler.core.node.Geometry;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// One device of a node and its use.
public final class DeviceState {
  private final int index;
  private @Nullable Device device;
  private @Nullable DeviceKind kind;
  private boolean inService;
  final CapacityUse units = new CapacityUse();
  final CapacityUse memory = new CapacityUse();

  /// The owners of memory slices, for a sliced device only.
  private @Nullable Placed placed;

  private record Placed(
      Geometry.Sliced geometry,
      MemorySliceCounts live,
      MemorySliceCounts stopping,
      MemorySliceCounts held) {
    MemorySliceCounts of(Stake stake) {
      return switch (stake) {
        case LIVE, KEPT -> live;
        case STOPPING -> stopping;
        case HELD -> held;
      };
    }
  }

  DeviceState(int index) {
    this.index = index;
  }

  /// Takes the device's new inventory. The caller then counts the owners of a sliced device again.
  ///
  /// @param belongs whether the node's pool wants devices of this model
  void offer(@Nullable Device offered, boolean belongs) {
    device = offered;
    kind = offered != null && belongs ? DeviceKind.of(offered) : null;
    inService = offered != null && offered.inService();
    Geometry.Sliced geometry = kind == null ? null : kind.sliced();
    placed =
        geometry == null
            ? null
            : new Placed(
                geometry,
                new MemorySliceCounts(),
                new MemorySliceCounts(),
                new MemorySliceCounts());
  }

  boolean isSliced() {
    return placed != null;
  }

  /// Counts the owners of places; quantities are counted separately.
  void place(Slice slice, Stake stake, int sign) {
    if (placed != null) {
      placed.of(stake).add(slice, sign);
    }
  }

  /// Whether two attempts have the same place.
  boolean isOverlapped() {
    return placed != null && taken(placed, false, true).overlap();
  }

  /// Whether these slices are available now: no slice in use and no older hold overlaps them.
  boolean arePlacesReady(List<Slice> slices, List<Slice> older) {
    if (placed == null) {
      throw new IllegalStateException("device " + index + " has no places");
    }
    MemorySliceCounts sliceCounts = taken(placed, false, true);
    slices.forEach(slice -> sliceCounts.add(slice, 1));
    older.forEach(slice -> sliceCounts.add(slice, 1));
    return !sliceCounts.isOverdrawn(placed.geometry());
  }

  /// A copy of the owners of a sliced device's places; null for other devices.
  ///
  /// @param soon without what stops
  @Nullable MemorySliceCounts sliceCounts(boolean soon) {
    return placed == null ? null : taken(placed, true, !soon);
  }

  private static MemorySliceCounts taken(Placed placed, boolean withHeld, boolean withStopping) {
    MemorySliceCounts sliceCounts = new MemorySliceCounts();
    sliceCounts.add(placed.live());
    if (withStopping) {
      sliceCounts.add(placed.stopping());
    }
    if (withHeld) {
      sliceCounts.add(placed.held());
    }
    return sliceCounts;
  }

  public int index() {
    return index;
  }

  String uuid() {
    return device == null ? "" : device.uuid();
  }

  /// Absent when something still runs on a device that the node no longer reports.
  public @Nullable Device device() {
    return device;
  }

  /// Absent when nothing new may be placed on it now.
  @Nullable DeviceKind kind() {
    return inService ? kind : null;
  }

  /// Also of one that is out of service, which may come back; absent when its pool does not want
  /// it, or it is gone.
  @Nullable DeviceKind kindWhenInService() {
    return kind;
  }

  /// Whether anything new may be placed on it.
  public boolean isOffered() {
    return kind() != null;
  }

  /// The units that attempts have of it.
  public long usedUnits() {
    return units.live + units.stopping;
  }

  /// Free for anybody, if its node takes work.
  public long idleUnits() {
    return Math.max(0, freeUnits());
  }

  long freeUnits() {
    return kind() == null ? 0 : units.free(UNITS_PER_GPU);
  }

  public long freeUnitsSoon() {
    return kind() == null ? 0 : units.freeSoon(UNITS_PER_GPU);
  }

  /// The free memory, or the free places of a sliced device.
  long left() {
    if (kind == null) {
      return 0;
    }
    return placed == null
        ? memory.free(kind.memoryBytes())
        : taken(placed, true, true).left(placed.geometry());
  }

  long leftSoon() {
    if (kind == null) {
      return 0;
    }
    return placed == null
        ? memory.freeSoon(kind.memoryBytes())
        : taken(placed, true, false).left(placed.geometry());
  }
}
