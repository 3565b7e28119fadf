package io.headgate.scheduler.core.placement.policy;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// The free capacity of a node as packing sees it: CPU, and the free part and kind of each device.
/// Full devices are left out.
///
/// Confined to one thread: it remembers the results of functions on it.
public final class Space {
  final long cpuMillis;

  /// Ascending.
  final int[] units;

  /// [Models#indexOf] of each device.
  final byte[] models;

  private final int hash;

  double leaningFill = Double.NaN;
  double meanFill;
  double stranded = Double.NaN;
  double protection;
  int protectionEdition = -1;

  /// @param units ascending, each above 0; the space owns the arrays
  Space(long cpuMillis, int[] units, byte[] models) {
    this.cpuMillis = cpuMillis;
    this.units = units;
    this.models = models;
    this.hash =
        (Long.hashCode(cpuMillis) * 31 + Arrays.hashCode(units)) * 31 + Arrays.hashCode(models);
  }

  /// This space after a task has taken `taken` units of the device.
  Space without(long cpu, int device, int taken) {
    int left = units[device] - taken;
    int count = left == 0 ? units.length - 1 : units.length;
    int[] newUnits = new int[count];
    byte[] newModels = new byte[count];
    int at = 0;
    boolean placed = left == 0;
    for (int i = 0; i < units.length; i++) {
      if (!placed
          && (i == device
              || units[i] > left
              || (units[i] == left && models[i] >= models[device]))) {
        newUnits[at] = left;
        newModels[at++] = models[device];
        placed = true;
      }
      if (i != device) {
        newUnits[at] = units[i];
        newModels[at++] = models[i];
      }
    }
    return new Space(cpuMillis - cpu, newUnits, newModels);
  }

  /// This space when a task takes these devices whole.
  ///
  /// @param taken ascending
  Space withoutWhole(long cpu, int[] taken) {
    int count = units.length - taken.length;
    int[] newUnits = new int[count];
    byte[] newModels = new byte[count];
    int at = 0;
    int next = 0;
    for (int i = 0; i < units.length; i++) {
      if (next < taken.length && taken[next] == i) {
        next++;
      } else {
        newUnits[at] = units[i];
        newModels[at++] = models[i];
      }
    }
    return new Space(cpuMillis - cpu, newUnits, newModels);
  }

  long totalUnits() {
    long sum = 0;
    for (int free : units) {
      sum += free;
    }
    return sum;
  }

  @Override
  public boolean equals(@Nullable Object object) {
    return object instanceof Space other
        && hash == other.hash
        && cpuMillis == other.cpuMillis
        && Arrays.equals(units, other.units)
        && Arrays.equals(models, other.models);
  }

  @Override
  public int hashCode() {
    return hash;
  }

  @Override
  public String toString() {
    return "%d mCPU, %s".formatted(cpuMillis, Arrays.toString(units));
  }
}
