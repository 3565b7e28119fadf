package io.headgate.scheduler.core.placement.policy;

import java.util.ArrayList;
import java.util.List;

/// A mix as arrays, for the loops that run most often. Models are bits: one for each that some
/// class restricts itself to, and one for all others together.
final class TaskTable {
  /// More models than a word has bits are taken as one.
  private static final int MAX_MODELS = 63;

  final int count;
  final int[] devices;
  final int[] units;
  final long[] cpuMillis;

  /// Bits of the models that a class may use.
  final long[] models;

  final double[] share;
  final double meanUnits;
  final double meanCpuMillis;

  private final List<String> named;

  TaskTable(TaskMix mix) {
    named = new ArrayList<>(mix.models());
    count = mix.parts().size();
    devices = new int[count];
    units = new int[count];
    cpuMillis = new long[count];
    models = new long[count];
    share = new double[count];
    meanUnits = mix.meanUnits();
    meanCpuMillis = mix.meanCpuMillis();
    for (int i = 0; i < count; i++) {
      TaskClass task = mix.parts().get(i).task();
      devices[i] = task.devices();
      units[i] = task.units();
      cpuMillis[i] = task.cpuMillis();
      models[i] = bits(task.gpuModels());
      share[i] = mix.parts().get(i).share();
    }
  }

  /// How many different models there are, all that are not named counted as one.
  int modelCount() {
    return Math.min(named.size(), MAX_MODELS) + 1;
  }

  byte modelIndex(String model) {
    int index = named.indexOf(model);
    return (byte) (index < 0 ? Math.min(named.size(), MAX_MODELS) : Math.min(index, MAX_MODELS));
  }

  private long bits(List<String> models) {
    long bits = models.isEmpty() ? -1L : 0;
    for (String model : models) {
      bits |= 1L << modelIndex(model);
    }
    return bits;
  }

  /// Whether the class names models.
  boolean isRestricted(int task) {
    return models[task] != -1L;
  }

  boolean admits(int task, int model) {
    return (models[task] >>> model & 1) != 0;
  }

  /// How many tasks of the class fit into the space at once, each alone on its devices.
  int capacity(int task, Space space) {
    int devicesThatFit = 0;
    for (int i = 0; i < space.units.length; i++) {
      if (space.units[i] >= units[task] && admits(task, space.models[i])) {
        devicesThatFit++;
      }
    }
    int fits = devicesThatFit / devices[task];
    return cpuMillis[task] == 0
        ? fits
        : (int) Math.min(fits, Math.max(0, space.cpuMillis) / cpuMillis[task]);
  }
}
