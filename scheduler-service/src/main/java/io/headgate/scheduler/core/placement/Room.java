package io.headgate.scheduler.core.placement;

import static io.headgate.type.GpuQuantity.UNITS_PER_GPU;

import io.headgate.scheduler.core.job.Slice;
import io.headgate.scheduler.core.job.WorkerPlace;
import io.headgate.type.GpuQuantity;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// A copy of what is free on one node, to be played with: take places, put attempts' shares back.
public final class Room {
  private final NodeState node;
  private final @Nullable DeviceKind[] kinds;
  private final long[] units;
  private final long[] memory;
  private long cpuMillis;
  private long memoryBytes;

  private Room(NodeState node, boolean soon) {
    this.node = node;
    int count = node.deviceCount();
    kinds = new @Nullable DeviceKind[count];
    units = new long[count];
    memory = new long[count];
    for (int slot = 0; slot < count; slot++) {
      DeviceState device = node.device(slot);
      kinds[slot] = device.kind();
      units[slot] = soon ? device.freeUnitsSoon() : device.freeUnits();
      memory[slot] = soon ? device.freeMemorySoon() : device.freeMemory();
    }
    cpuMillis = soon ? node.freeCpuSoon() : node.freeCpu();
    memoryBytes = soon ? node.freeMemorySoon() : node.freeMemory();
  }

  /// What is free now.
  public static Room now(NodeState node) {
    return new Room(node, false);
  }

  /// What is free when everything that stops has stopped.
  public static Room soon(NodeState node) {
    return new Room(node, true);
  }

  public NodeState node() {
    return node;
  }

  /// How many workers of the shape fit at once, at most as many as it has.
  public int workers(Shape shape) {
    return Fit.workers(shape, cpuMillis, memoryBytes, kinds, units, memory);
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
      if (kinds[slot] != null) {
        units[slot] += sign * slice.quantity().units();
        memory[slot] += sign * slice.memoryBytes();
      }
    }
    cpuMillis += sign * place.cpuMillis();
    memoryBytes += sign * place.memoryBytes();
  }

  /// Takes the best place for one worker; empty when none fits.
  public Optional<WorkerPlace> take(Shape shape) {
    if (workers(shape) == 0) {
      return Optional.empty();
    }
    WorkerPlace place =
        new WorkerPlace(node.id(), slices(shape), shape.cpuMillis(), shape.memoryBytes());
    takeBack(place);
    return Optional.of(place);
  }

  private List<Slice> slices(Shape shape) {
    List<Slice> slices = new ArrayList<>();
    if (shape.isFraction()) {
      int slot = Fit.tightest(shape, kinds, units, memory);
      DeviceKind kind = kind(slot);
      slices.add(slice(slot, new GpuQuantity(shape.units()), shape.memoryOf(kind)));
    } else {
      int missing = shape.wholeDevices();
      for (int slot = 0; missing > 0; slot++) {
        DeviceKind kind = kinds[slot];
        if (kind != null && Fit.isIdle(shape, kind, units[slot], memory[slot])) {
          slices.add(slice(slot, GpuQuantity.ONE, kind.memoryBytes()));
          missing--;
        }
      }
    }
    return slices;
  }

  private Slice slice(int slot, GpuQuantity quantity, long memoryOfSlice) {
    DeviceState device = node.device(slot);
    return new Slice(device.index(), device.uuid(), quantity, memoryOfSlice);
  }

  private DeviceKind kind(int slot) {
    DeviceKind kind = kinds[slot];
    if (kind == null) {
      throw new IllegalStateException("slot " + slot + " of " + node.id() + " offers no device");
    }
    return kind;
  }

  /// What is free, without saying where.
  FreeState state() {
    return FreeState.of(cpuMillis, memoryBytes, kinds, units, memory);
  }

  /// Units free on all devices together.
  public long units() {
    long sum = 0;
    for (long free : units) {
      sum += Math.max(0, free);
    }
    return sum;
  }

  /// Whether the device in the slot would be idle if so many units more of it were free.
  public boolean wouldBeIdle(int slot, long unitsMore) {
    return kinds[slot] != null && units[slot] + unitsMore == UNITS_PER_GPU;
  }
}
