package io.headgate.scheduler.core.placement;

import static io.headgate.type.GpuQuantity.UNITS_PER_GPU;

import io.headgate.scheduler.core.job.Slice;
import io.headgate.scheduler.core.job.SlicePlacement;
import io.headgate.scheduler.core.job.WorkerPlace;
import io.headgate.scheduler.core.node.Geometry;
import io.headgate.type.GpuQuantity;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// A copy of the free capacity of one node, to try changes: take places, put attempts' shares back.
public final class Room {
  private final NodeState node;
  private final @Nullable DeviceKind[] kinds;
  private final long[] units;
  private final long[] left;

  /// The places of sliced devices, by slot; null when the node has no sliced device.
  private final @Nullable MemorySliceCounts @Nullable [] sliceCounts;

  private long cpuMillis;
  private long memoryBytes;

  private Room(NodeState node, boolean soon) {
    this.node = node;
    int count = node.deviceCount();
    kinds = new @Nullable DeviceKind[count];
    units = new long[count];
    left = new long[count];
    sliceCounts = node.hasSliced() ? new @Nullable MemorySliceCounts[count] : null;
    for (int slot = 0; slot < count; slot++) {
      DeviceState device = node.device(slot);
      kinds[slot] = device.kind();
      units[slot] = soon ? device.freeUnitsSoon() : device.freeUnits();
      left[slot] = soon ? device.leftSoon() : device.left();
      if (sliceCounts != null) {
        sliceCounts[slot] = device.sliceCounts(soon);
      }
    }
    cpuMillis = soon ? node.freeCpuSoon() : node.freeCpu();
    memoryBytes = soon ? node.freeMemorySoon() : node.freeMemory();
  }

  /// The present free capacity.
  public static Room now(NodeState node) {
    return new Room(node, false);
  }

  /// The free capacity when everything that stops has stopped.
  public static Room soon(NodeState node) {
    return new Room(node, true);
  }

  public NodeState node() {
    return node;
  }

  /// How many workers of the shape fit at once, at most as many as it has.
  public int workers(Shape shape) {
    return shape.images() && !node.node().runsImages()
        ? 0
        : Fit.workers(shape, cpuMillis, memoryBytes, kinds, units, left);
  }

  /// As [#workers], as if processors and main memory were without end.
  public int workersByDevices(Shape shape) {
    return Fit.workers(shape, Long.MAX_VALUE, Long.MAX_VALUE, kinds, units, left);
  }

  /// Whether a worker of the shape could use the device in the slot, were it free.
  public boolean mayServe(Shape shape, int slot) {
    DeviceKind kind = kinds[slot];
    return kind != null && (shape.isFraction() ? kind.divides(shape) : kind.servesWhole(shape));
  }

  /// Whether the device in the slot is idle and may serve a worker of the shape whole.
  public boolean isIdle(Shape shape, int slot) {
    DeviceKind kind = kinds[slot];
    return kind != null && Fit.isIdle(shape, kind, units[slot], left[slot]);
  }

  /// Puts a share back as if it were free.
  public void give(WorkerPlace place) {
    change(place, 1);
  }

  /// Takes a share that was given.
  public void takeBack(WorkerPlace place) {
    change(place, -1);
  }

  private void change(WorkerPlace place, int sign) {
    for (Slice slice : place.slices()) {
      int slot = node.slot(slice.device());
      DeviceKind kind = kinds[slot];
      if (kind == null) {
        continue;
      }
      units[slot] += sign * slice.quantity().units();
      Geometry.Sliced sliced = kind.sliced();
      if (sliced == null) {
        left[slot] += sign * slice.memoryBytes();
      } else {
        MemorySliceCounts taken = sliceCounts(slot);
        taken.add(slice, -sign);
        left[slot] = taken.left(sliced);
      }
    }
    cpuMillis += sign * place.cpuMillis();
    memoryBytes += sign * place.memoryBytes();
  }

  /// Whether all capacity of the places is free; nothing is taken. Other capacity may be overdrawn
  /// because the node shrank; that does not count.
  public boolean isFree(List<WorkerPlace> places) {
    places.forEach(this::takeBack);
    boolean free = !isOverdrawn(places);
    places.forEach(this::give);
    return free;
  }

  private boolean isOverdrawn(List<WorkerPlace> places) {
    for (WorkerPlace place : places) {
      if ((place.cpuMillis() > 0 && cpuMillis < 0)
          || (place.memoryBytes() > 0 && memoryBytes < 0)
          || place.slices().stream().anyMatch(slice -> isOverdrawn(node.slot(slice.device())))) {
        return true;
      }
    }
    return false;
  }

  private boolean isOverdrawn(int slot) {
    DeviceKind kind = kinds[slot];
    Geometry.Sliced sliced = kind == null ? null : kind.sliced();
    return units[slot] < 0
        || left[slot] < 0
        || (sliced != null && sliceCounts(slot).isOverdrawn(sliced));
  }

  /// Takes the best place for one worker; empty when none fits.
  ///
  /// @param rater chooses the device of a part
  Optional<WorkerPlace> take(Shape shape, Rater rater) {
    if (workers(shape) == 0) {
      return Optional.empty();
    }
    WorkerPlace place =
        new WorkerPlace(node.id(), slices(shape, rater), shape.cpuMillis(), shape.memoryBytes());
    takeBack(place);
    return Optional.of(place);
  }

  private List<Slice> slices(Shape shape, Rater rater) {
    List<Slice> slices = new ArrayList<>();
    if (shape.isFraction()) {
      int slot = slotForPart(shape, rater);
      slices.add(part(slot, shape));
    } else {
      int missing = shape.wholeDevices();
      for (int slot = 0; missing > 0; slot++) {
        DeviceKind kind = kinds[slot];
        if (kind != null && Fit.isIdle(shape, kind, units[slot], left[slot])) {
          Geometry.Sliced sliced = kind.sliced();
          SlicePlacement placement = sliced == null ? null : SliceRoom.wholePlacement(sliced);
          slices.add(slice(slot, GpuQuantity.ONE, kind.memoryBytes(), placement));
          missing--;
        }
      }
    }
    return slices;
  }

  /// The first device that is free as the one that the pool's policy chooses.
  private int slotForPart(Shape shape, Rater rater) {
    FreeState state = state();
    int device = rater.rate(shape, state).device();
    int slot = 0;
    while (!state.isLike(device, kinds[slot], units[slot], left[slot])) {
      slot++;
    }
    return slot;
  }

  private Slice part(int slot, Shape shape) {
    DeviceKind kind = kind(slot);
    GpuQuantity quantity = new GpuQuantity(shape.units());
    Geometry.Sliced sliced = kind.sliced();
    if (sliced == null) {
      return slice(slot, quantity, shape.memoryOf(kind), null);
    }
    SlicePlacement placement = SliceRoom.choose(kind, sliced, shape, left[slot]);
    long memoryOfSlice = SliceRoom.memoryBytes(kind, sliced, placement.size());
    return slice(slot, quantity, memoryOfSlice, placement);
  }

  private Slice slice(
      int slot, GpuQuantity quantity, long memoryOfSlice, @Nullable SlicePlacement placement) {
    DeviceState device = node.device(slot);
    return new Slice(
        device.index(),
        device.uuid(),
        quantity,
        memoryOfSlice,
        Slice.isolation(quantity, kind(slot).isolation()),
        Optional.ofNullable(placement));
  }

  private MemorySliceCounts sliceCounts(int slot) {
    MemorySliceCounts taken = sliceCounts == null ? null : sliceCounts[slot];
    if (taken == null) {
      throw new IllegalStateException("slot " + slot + " of " + node.id() + " has no places");
    }
    return taken;
  }

  private DeviceKind kind(int slot) {
    DeviceKind kind = kinds[slot];
    if (kind == null) {
      throw new IllegalStateException("slot " + slot + " of " + node.id() + " offers no device");
    }
    return kind;
  }

  /// The free capacity, without names.
  FreeState state() {
    return FreeState.of(
        new FreeState.Whole(cpuMillis, memoryBytes, node.node().runsImages()), kinds, units, left);
  }

  /// Units free on all devices together.
  public long units() {
    long sum = 0;
    for (long free : units) {
      sum += Math.max(0, free);
    }
    return sum;
  }

  /// Whether the device in the slot would be idle with this many more free units.
  public boolean wouldBeIdle(int slot, long unitsMore) {
    return kinds[slot] != null && units[slot] + unitsMore == UNITS_PER_GPU;
  }
}
