package io.headgate.scheduler.core.placement;

import static io.headgate.type.GpuQuantity.UNITS_PER_GPU;

import io.headgate.scheduler.core.node.Device;
import org.jspecify.annotations.Nullable;

/// One device of a node and what is taken of it.
public final class DeviceState {
  private final int index;
  private @Nullable Device device;
  private @Nullable DeviceKind kind;
  final Taken units = new Taken();
  final Taken memory = new Taken();

  DeviceState(int index) {
    this.index = index;
  }

  /// @param belongs whether the node's pool wants devices of this model
  void offer(@Nullable Device offered, boolean belongs) {
    device = offered;
    kind = offered != null && belongs ? DeviceKind.of(offered) : null;
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

  /// Absent when nothing new may be placed on it.
  @Nullable DeviceKind kind() {
    return kind;
  }

  /// What attempts have of it.
  public long usedUnits() {
    return units.live + units.stopping;
  }

  /// Free for anybody, if its node takes work.
  public long idleUnits() {
    return Math.max(0, freeUnits());
  }

  long freeUnits() {
    return kind == null ? 0 : units.free(UNITS_PER_GPU);
  }

  long freeUnitsSoon() {
    return kind == null ? 0 : units.freeSoon(UNITS_PER_GPU);
  }

  long freeMemory() {
    return kind == null ? 0 : memory.free(kind.memoryBytes());
  }

  long freeMemorySoon() {
    return kind == null ? 0 : memory.freeSoon(kind.memoryBytes());
  }
}
