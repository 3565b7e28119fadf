package io.headgate.scheduler.core.placement.policy;

import java.util.Arrays;

/// The prices, in units, of scarce things: room for gangs, and devices of models that some tasks
/// require; and how far scarce CPU leaves the tasks of a node to chance. Pure functions of the
/// totals of a pool.
///
/// A gang's price is the earning of its units, times the chance that more such gangs come than
/// there is room for before the pool is full. A model's price is a part of 1, for each unit: 0
/// while tasks that require the model ask for less than 3/10 of its free units, 1 from 8/10 on.
///
/// Where CPU is plentiful, the pool keeps tasks that need much of it from a node with little. Where
/// CPU runs out before GPUs, most nodes must take their part of them, so the choice is less.
///
/// Prices are rounded to a grid, so they change seldom and depend on the totals only.
final class Prices {
  private static final double LOGISTIC_NORMAL = 1.702;
  private static final double LEAST_SCARCE = 0.3;
  private static final double MOST_SCARCE = 0.8;
  static final double GPU = 126_000;
  private static final int MODEL_STEPS = 20;
  private static final double CPU_TO_SPARE = 0.95;
  private static final double CPU_RUNS_OUT = 1;
  private static final double MOST_CHANCE = 0.5;
  private static final int CHANCE_STEPS = 2;
  private static final double GANG_STEP = 0.01 * GPU;
  private static final double GANG_FACTOR = Math.log(1.1);

  /// By gang, in units.
  final double[] gangs;

  /// By model, per unit.
  final double[] models;

  /// The part, from 0 to 1, to which the tasks of a node are taken for chance, not for the choice
  /// of the pool.
  final double chance;

  private Prices(double[] gangs, double[] models, double chance) {
    this.gangs = gangs;
    this.models = models;
    this.chance = chance;
  }

  static Prices of(PoolTotals totals) {
    TaskTable tasks = totals.tasks;
    double coming = tasks.meanUnits > 0 ? totals.free / tasks.meanUnits : 0;
    double[] gangs = new double[totals.gangs.length];
    for (int i = 0; i < gangs.length; i++) {
      int gang = totals.gangs[i];
      double scarcity = scarcity((double) totals.fitting[i], coming * rivals(tasks, gang));
      gangs[i] = round((double) tasks.devices[gang] * tasks.units[gang] * scarcity);
    }
    double[] models = new double[tasks.modelCount()];
    for (int model = 0; model < models.length; model++) {
      models[model] = modelPrice(insisting(totals, model, coming), totals.freeUnits[model]);
    }
    return new Prices(gangs, models, chance(coming * tasks.meanCpuMillis, totals.freeCpuMillis));
  }

  /// Share of the tasks that take as many devices and at least as much CPU.
  private static double rivals(TaskTable tasks, int gang) {
    double sum = 0;
    for (int i = 0; i < tasks.count; i++) {
      if (tasks.devices[i] == tasks.devices[gang] && tasks.cpuMillis[i] >= tasks.cpuMillis[gang]) {
        sum += tasks.share[i];
      }
    }
    return sum;
  }

  /// The probability that at least `room` gangs come when `expected` are expected (Poisson),
  /// approximated by the logistic curve.
  static double scarcity(double room, double expected) {
    if (expected <= 0) {
      return 0;
    }
    double deviation = (room - 0.5 - expected) / Math.sqrt(expected);
    return 1 / (1 + Math.exp(LOGISTIC_NORMAL * deviation));
  }

  /// The units of the model that tasks requiring it will ask for. Each task spreads over its
  /// admitted models in proportion to their free units.
  private static double insisting(PoolTotals totals, int model, double coming) {
    TaskTable tasks = totals.tasks;
    double sum = 0;
    for (int i = 0; i < tasks.count; i++) {
      if (tasks.devices[i] > 0 && tasks.isRestricted(i) && tasks.admits(i, model)) {
        long admitted = 0;
        for (int other = 0; other < totals.freeUnits.length; other++) {
          admitted += tasks.admits(i, other) ? totals.freeUnits[other] : 0;
        }
        if (admitted > 0) {
          sum +=
              tasks.share[i]
                  * tasks.devices[i]
                  * tasks.units[i]
                  * totals.freeUnits[model]
                  / admitted;
        }
      }
    }
    return coming * sum;
  }

  static double modelPrice(double insisting, long free) {
    if (free <= 0 || insisting <= 0) {
      return 0;
    }
    double scarce = (insisting / free - LEAST_SCARCE) / (MOST_SCARCE - LEAST_SCARCE);
    return Math.rint(Math.clamp(scarce, 0.0, 1.0) * MODEL_STEPS) / MODEL_STEPS;
  }

  /// From 0, while the tasks that fill the GPUs will ask for less than 95 % of the free CPU, to 1/2
  /// when they will ask for all of it. Never more: even then the pool chooses. In quarters, because
  /// each change orders the places anew.
  ///
  /// @param asked mCPU that tasks will ask for until no GPU is free
  static double chance(double asked, long free) {
    if (asked <= 0) {
      return 0;
    }
    double scarce = (asked / Math.max(free, 1) - CPU_TO_SPARE) / (CPU_RUNS_OUT - CPU_TO_SPARE);
    return MOST_CHANCE * Math.rint(Math.clamp(scarce, 0.0, 1.0) * CHANCE_STEPS) / CHANCE_STEPS;
  }

  /// To hundredths of a GPU, above a tenth of one to tenths of itself; below a thousandth nothing.
  private static double round(double price) {
    if (price < 0.001 * GPU) {
      return 0;
    }
    if (price <= 0.1 * GPU) {
      return Math.rint(price / GANG_STEP) * GANG_STEP;
    }
    return Math.exp(Math.rint(Math.log(price) / GANG_FACTOR) * GANG_FACTOR);
  }

  /// The worth of the most valuable gangs that fit into the space.
  double protection(PoolTotals totals, Space space) {
    double most = 0;
    for (int i = 0; i < gangs.length; i++) {
      if (gangs[i] > 0) {
        most = Math.max(most, gangs[i] * totals.tasks.capacity(totals.gangs[i], space));
      }
    }
    return most;
  }

  boolean isSameAs(Prices other) {
    return chance == other.chance
        && Arrays.equals(gangs, other.gangs)
        && Arrays.equals(models, other.models);
  }
}
