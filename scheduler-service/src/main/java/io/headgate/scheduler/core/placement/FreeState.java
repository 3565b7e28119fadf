package io.headgate.scheduler.core.placement;

import io.headgate.scheduler.core.node.Geometry;
import io.headgate.scheduler.core.placement.policy.PackingModel;
import io.headgate.scheduler.core.placement.policy.Space;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The free capacity of a node, without names of node and devices: nodes with equal states are
/// alike to every decision. Devices are sorted; full ones are left out.
public final class FreeState implements Comparable<FreeState> {
  private final long cpuMillis;
  private final long memoryBytes;
  private final boolean runsImages;
  private final DeviceKind[] kinds;
  private final long[] units;
  private final long[] left;
  private final int hash;

  private FreeState(Whole whole, DeviceKind[] kinds, long[] units, long[] left) {
    this.cpuMillis = whole.cpuMillis();
    this.memoryBytes = whole.memoryBytes();
    this.runsImages = whole.runsImages();
    this.kinds = kinds;
    this.units = units;
    this.left = left;
    int code = Long.hashCode(cpuMillis) * 31 + Long.hashCode(memoryBytes);
    for (int i = 0; i < units.length; i++) {
      code = (code * 31 + Long.hashCode(units[i])) * 31 + Long.hashCode(left[i]);
    }
    this.hash = code;
  }

  /// The capacity of a node apart from its devices.
  record Whole(long cpuMillis, long memoryBytes, boolean runsImages) {}

  static FreeState of(Whole whole, @Nullable DeviceKind[] kinds, long[] units, long[] left) {
    int count = 0;
    for (int i = 0; i < units.length; i++) {
      count += kinds[i] != null && units[i] > 0 ? 1 : 0;
    }
    Sorted sorted = new Sorted(count);
    for (int i = 0; i < units.length; i++) {
      DeviceKind kind = kinds[i];
      if (kind != null && units[i] > 0) {
        sorted.add(kind, units[i], left[i]);
      }
    }
    return sorted.state(whole);
  }

  /// The free capacity of a node with these devices now.
  static FreeState now(Whole whole, DeviceState[] devices) {
    int count = 0;
    for (DeviceState device : devices) {
      count += device.freeUnits() > 0 ? 1 : 0;
    }
    Sorted sorted = new Sorted(count);
    for (DeviceState device : devices) {
      DeviceKind kind = device.kind();
      long free = device.freeUnits();
      if (kind != null && free > 0) {
        sorted.add(kind, free, device.left());
      }
    }
    return sorted.state(whole);
  }

  /// Devices in their order.
  private static final class Sorted {
    private final DeviceKind[] kinds;
    private final long[] units;
    private final long[] left;
    private int size;

    Sorted(int count) {
      kinds = new DeviceKind[count];
      units = new long[count];
      left = new long[count];
    }

    void add(DeviceKind kind, long unitsFree, long leftOfIt) {
      // Insertion sort: nodes have few devices, and most of them are in order already.
      int at = size++;
      while (at > 0
          && compare(kind, unitsFree, leftOfIt, kinds[at - 1], units[at - 1], left[at - 1]) < 0) {
        kinds[at] = kinds[at - 1];
        units[at] = units[at - 1];
        left[at] = left[at - 1];
        at--;
      }
      kinds[at] = kind;
      units[at] = unitsFree;
      left[at] = leftOfIt;
    }

    FreeState state(Whole whole) {
      return new FreeState(whole, kinds, units, left);
    }
  }

  private static int compare(
      DeviceKind kind,
      long units,
      long left,
      DeviceKind otherKind,
      long otherUnits,
      long otherLeft) {
    if (units != otherUnits) {
      return Long.compare(units, otherUnits);
    }
    return left != otherLeft ? Long.compare(left, otherLeft) : kind.compareTo(otherKind);
  }

  /// How many workers of the shape fit at once.
  int workers(Shape shape) {
    return shape.images() && !runsImages
        ? 0
        : Fit.workers(shape, cpuMillis, memoryBytes, kinds, units, left);
  }

  public long cpuMillis() {
    return cpuMillis;
  }

  /// Units free on all devices together.
  public long totalUnits() {
    long sum = 0;
    for (long free : units) {
      sum += free;
    }
    return sum;
  }

  /// The free units of a device; devices are counted from the fullest one.
  long units(int device) {
    return units[device];
  }

  /// The device that a part leaves least of.
  public int tightest(Shape shape) {
    return Fit.tightest(shape, kinds, units, left);
  }

  /// Devices for one worker, ascending: for a part, one of each sort on which it fits; else those
  /// that are taken whole, the first that serve. Only when it fits.
  public int[] devicesFor(Shape shape) {
    int[] chosen = new int[units.length];
    int count = 0;
    int whole = shape.isFraction() ? Integer.MAX_VALUE : shape.wholeDevices();
    for (int i = 0; i < units.length && count < whole; i++) {
      boolean serves =
          shape.isFraction()
              ? !isLikeTheOneBefore(i) && Fit.parts(shape, kinds[i], units[i], left[i]) > 0
              : Fit.isIdle(shape, kinds[i], units[i], left[i]);
      if (serves) {
        chosen[count++] = i;
      }
    }
    return Arrays.copyOf(chosen, count);
  }

  private boolean isLikeTheOneBefore(int device) {
    return device > 0
        && units[device] == units[device - 1]
        && left[device] == left[device - 1]
        && kinds[device].equals(kinds[device - 1]);
  }

  /// Whether a device of a node is free like one of these.
  boolean isLike(int device, @Nullable DeviceKind kind, long unitsFree, long leftOfIt) {
    return units[device] == unitsFree && left[device] == leftOfIt && kinds[device].equals(kind);
  }

  /// Whether a part would get a larger slice of the device than of an idle one.
  boolean wastes(Shape shape, int device) {
    return Fit.wastes(shape, kinds[device], left[device]);
  }

  /// Whether so much is free on a sliced device, but not where a slice of that size can lie.
  boolean isPlaceless(Shape shape) {
    if (!shape.isFraction()) {
      return false;
    }
    for (int i = 0; i < units.length; i++) {
      DeviceKind kind = kinds[i];
      if (kind.sliced() != null
          && units[i] >= shape.units()
          && kind.divides(shape)
          && Fit.parts(shape, kind, units[i], left[i]) == 0) {
        return true;
      }
    }
    return false;
  }

  private boolean hasSliced() {
    for (DeviceKind kind : kinds) {
      if (kind.sliced() != null) {
        return true;
      }
    }
    return false;
  }

  /// The space for the packing model when a worker takes a part of the device.
  ///
  /// @param space the model's view of this state
  Space spaceWithout(PackingModel packing, Space space, Shape shape, int device) {
    return hasSliced()
        ? without(shape, device).space(packing)
        : packing.without(space, shape.cpuMillis(), device, (int) shape.units());
  }

  /// The space for the packing model when a worker takes these devices whole.
  ///
  /// @param space the model's view of this state
  Space spaceWithoutWhole(PackingModel packing, Space space, Shape shape, int[] devices) {
    return hasSliced()
        ? withoutWhole(shape, devices).space(packing)
        : packing.withoutWhole(space, shape.cpuMillis(), devices);
  }

  /// The devices as [#space] counts them.
  int[] spaceIndexes(int[] devices) {
    if (!hasSliced()) {
      return devices;
    }
    int[] indexes = new int[devices.length];
    for (int i = 0; i < devices.length; i++) {
      long own = usable(devices[i]);
      for (int other = 0; other < units.length; other++) {
        long usable = usable(other);
        boolean before = usable < own || (usable == own && other < devices[i]);
        indexes[i] += usable > 0 && before ? 1 : 0;
      }
    }
    return indexes;
  }

  /// The capacity left when a worker has taken its part of the tightest device, or the first
  /// devices that serve it whole. Only when one fits.
  FreeState without(Shape shape) {
    return shape.isFraction()
        ? without(shape, tightest(shape))
        : withoutWhole(shape, devicesFor(shape));
  }

  private FreeState without(Shape shape, int device) {
    long[] newUnits = units.clone();
    long[] newLeft = left.clone();
    DeviceKind kind = kinds[device];
    Geometry.Sliced sliced = kind.sliced();
    newUnits[device] -= shape.units();
    newLeft[device] =
        sliced == null
            ? left[device] - shape.memoryOf(kind)
            : SliceRoom.without(
                sliced, left[device], SliceRoom.choose(kind, sliced, shape, left[device]));
    return of(wholeWithout(shape), kinds, newUnits, newLeft);
  }

  private Whole wholeWithout(Shape shape) {
    return new Whole(cpuMillis - shape.cpuMillis(), memoryBytes - shape.memoryBytes(), runsImages);
  }

  private FreeState withoutWhole(Shape shape, int[] devices) {
    long[] newUnits = units.clone();
    for (int device : devices) {
      newUnits[device] = 0;
    }
    return of(wholeWithout(shape), kinds, newUnits, left);
  }

  /// Units that are free and that no job can ask of a sliced device, because of where they lie.
  long unusableUnits() {
    long sum = 0;
    for (int i = 0; i < units.length; i++) {
      sum += units[i] - usable(i);
    }
    return sum;
  }

  private long usable(int device) {
    Geometry.Sliced sliced = kinds[device].sliced();
    return sliced == null
        ? units[device]
        : Math.min(units[device], SliceRoom.usableUnits(sliced, left[device]));
  }

  /// The space for the packing model; of sliced devices it holds the part that jobs can still ask
  /// for.
  Space space(PackingModel packing) {
    return hasSliced() ? usableSpace(packing) : allSpace(packing);
  }

  private Space usableSpace(PackingModel packing) {
    record Part(int units, String model) {}
    List<Part> parts = new ArrayList<>();
    for (int i = 0; i < units.length; i++) {
      if (usable(i) > 0) {
        parts.add(new Part((int) usable(i), kinds[i].model()));
      }
    }
    // Equal parts in the order of the devices, as elsewhere.
    parts.sort(Comparator.comparingInt(Part::units));
    return packing.space(
        cpuMillis,
        parts.stream().mapToInt(Part::units).toArray(),
        parts.stream().map(Part::model).toArray(String[]::new));
  }

  private Space allSpace(PackingModel packing) {
    int[] free = new int[units.length];
    String[] models = new String[units.length];
    for (int i = 0; i < free.length; i++) {
      free[i] = (int) units[i];
      models[i] = kinds[i].model();
    }
    return packing.space(cpuMillis, free, models);
  }

  /// Any order will do that depends on nothing but the content: it settles ties in the same way
  /// everywhere.
  @Override
  public int compareTo(FreeState other) {
    int order = Arrays.compare(units, other.units);
    if (order == 0) {
      order = Long.compare(cpuMillis, other.cpuMillis);
    }
    if (order == 0) {
      order = Long.compare(memoryBytes, other.memoryBytes);
    }
    if (order == 0) {
      order = Boolean.compare(runsImages, other.runsImages);
    }
    if (order == 0) {
      order = Arrays.compare(left, other.left);
    }
    return order == 0 ? Arrays.compare(kinds, other.kinds) : order;
  }

  @Override
  public boolean equals(@Nullable Object object) {
    return object instanceof FreeState other
        && hash == other.hash
        && cpuMillis == other.cpuMillis
        && memoryBytes == other.memoryBytes
        && runsImages == other.runsImages
        && Arrays.equals(units, other.units)
        && Arrays.equals(left, other.left)
        && Arrays.equals(kinds, other.kinds);
  }

  @Override
  public int hashCode() {
    return hash;
  }
}
