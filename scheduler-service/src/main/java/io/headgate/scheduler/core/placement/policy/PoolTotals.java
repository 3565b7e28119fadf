package io.headgate.scheduler.core.placement.policy;

import java.util.ArrayList;
import java.util.List;

/// The free capacity of a pool for the prices; kept up to date node by node.
final class PoolTotals {
  final TaskTable tasks;

  /// The classes that take several devices of a node.
  final int[] gangs;

  /// How many tasks of each gang fit in the pool, each gang for itself.
  final long[] fitting;

  /// Free units by model.
  final long[] freeUnits;

  long free;
  long freeCpuMillis;

  PoolTotals(TaskTable tasks) {
    this.tasks = tasks;
    List<Integer> several = new ArrayList<>();
    for (int i = 0; i < tasks.count; i++) {
      if (tasks.devices[i] > 1) {
        several.add(i);
      }
    }
    gangs = several.stream().mapToInt(Integer::intValue).toArray();
    fitting = new long[gangs.length];
    freeUnits = new long[tasks.modelCount()];
  }

  /// @param sign 1: a node with such a space has come; -1: it has gone
  void add(Space space, int sign) {
    for (int gang = 0; gang < gangs.length; gang++) {
      fitting[gang] += (long) sign * tasks.capacity(gangs[gang], space);
    }
    freeCpuMillis += sign * space.cpuMillis;
    for (int i = 0; i < space.units.length; i++) {
      freeUnits[space.models[i]] += (long) sign * space.units[i];
      free += (long) sign * space.units[i];
    }
  }
}
