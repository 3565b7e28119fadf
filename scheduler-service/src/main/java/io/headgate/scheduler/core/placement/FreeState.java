package io.headgate.scheduler.core.placement;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// What is free on a node, without saying which node or which device: nodes in the same state are
/// alike to every decision. Devices are sorted; those with nothing free are left out.
final class FreeState implements Comparable<FreeState> {
  private final long cpuMillis;
  private final long memoryBytes;
  private final DeviceKind[] kinds;
  private final long[] units;
  private final long[] memory;
  private final int hash;

  private FreeState(
      long cpuMillis, long memoryBytes, DeviceKind[] kinds, long[] units, long[] memory) {
    this.cpuMillis = cpuMillis;
    this.memoryBytes = memoryBytes;
    this.kinds = kinds;
    this.units = units;
    this.memory = memory;
    int code = Long.hashCode(cpuMillis) * 31 + Long.hashCode(memoryBytes);
    for (int i = 0; i < units.length; i++) {
      code = (code * 31 + Long.hashCode(units[i])) * 31 + Long.hashCode(memory[i]);
    }
    this.hash = code;
  }

  static FreeState of(
      long cpuMillis, long memoryBytes, @Nullable DeviceKind[] kinds, long[] units, long[] memory) {
    int count = 0;
    for (int i = 0; i < units.length; i++) {
      if (kinds[i] != null && units[i] > 0) {
        count++;
      }
    }
    DeviceKind[] sortedKinds = new DeviceKind[count];
    long[] sortedUnits = new long[count];
    long[] sortedMemory = new long[count];
    int size = 0;
    for (int i = 0; i < units.length; i++) {
      DeviceKind kind = kinds[i];
      if (kind == null || units[i] <= 0) {
        continue;
      }
      // Insertion sort: nodes have few devices, and most of them are in order already.
      int at = size++;
      while (at > 0
          && compare(
                  kind,
                  units[i],
                  memory[i],
                  sortedKinds[at - 1],
                  sortedUnits[at - 1],
                  sortedMemory[at - 1])
              < 0) {
        sortedKinds[at] = sortedKinds[at - 1];
        sortedUnits[at] = sortedUnits[at - 1];
        sortedMemory[at] = sortedMemory[at - 1];
        at--;
      }
      sortedKinds[at] = kind;
      sortedUnits[at] = units[i];
      sortedMemory[at] = memory[i];
    }
    return new FreeState(cpuMillis, memoryBytes, sortedKinds, sortedUnits, sortedMemory);
  }

  private static int compare(
      DeviceKind kind,
      long units,
      long memory,
      DeviceKind otherKind,
      long otherUnits,
      long otherMemory) {
    if (units != otherUnits) {
      return Long.compare(units, otherUnits);
    }
    return memory != otherMemory ? Long.compare(memory, otherMemory) : kind.compareTo(otherKind);
  }

  /// How many workers of the shape fit at once.
  int workers(Shape shape) {
    return Fit.workers(shape, cpuMillis, memoryBytes, kinds, units, memory);
  }

  long cpuMillis() {
    return cpuMillis;
  }

  /// Units free on all devices together.
  long totalUnits() {
    long sum = 0;
    for (long free : units) {
      sum += free;
    }
    return sum;
  }

  /// What is free on the device that a part would be taken of.
  long tightestUnits(Shape shape) {
    return units[Fit.tightest(shape, kinds, units, memory)];
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
      order = Arrays.compare(memory, other.memory);
    }
    return order == 0 ? Arrays.compare(kinds, other.kinds) : order;
  }

  @Override
  public boolean equals(@Nullable Object object) {
    return object instanceof FreeState other
        && hash == other.hash
        && cpuMillis == other.cpuMillis
        && memoryBytes == other.memoryBytes
        && Arrays.equals(units, other.units)
        && Arrays.equals(memory, other.memory)
        && Arrays.equals(kinds, other.kinds);
  }

  @Override
  public int hashCode() {
    return hash;
  }
}
