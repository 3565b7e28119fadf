package io.headgate.scheduler.core.placement.policy;

import java.util.Arrays;

/// The potential of a node: how many of its units are served when tasks of the mix come one after
/// the other until it is full.
///
/// All spaces are filled from one deck of tasks, so two spaces differ by their properties and not
/// by chance. The deck holds each class exactly as often as its share says, is shuffled once and
/// dealt into hands. Each hand fills the space anew. A task takes the device with the least left;
/// one that does not fit is skipped.
///
/// There are two results, both of the same hands: the plain mean, and a mean that leans to the
/// better hands, `h ln(mean(exp(x / h)))` with h of 3/10 GPU. The leaning mean supposes that the
/// pool chooses: it has other nodes, and each gets the tasks that suit it. So a node that some
/// hands fill completely is worth more than one that all fill half as often. The plain mean
/// supposes that tasks come to a node by chance. [Prices#chance] says how much of each holds.
///
/// A space has 1/2 and 1 GPU free; the hands are (1/2, 1/2, 1) and (1, 1, 1/2). The first hand
/// serves 1/2 on the half and 1/2 on the whole; its last task does not fit: 1. The second serves 1,
/// and then 1/2 on the half: 3/2. Their mean is 1.25, and the leaning one 1.34.
final class NodePotential {
  static final int HANDS = 128;
  static final int HAND = 60;
  private static final double LEANING = 0.3 * Prices.GPU;
  private static final int STEPS = 1000;
  private static final int STEP = (int) Prices.GPU / STEPS;
  private static final long SEED = 0x9E3779B97F4A7C15L;

  private final TaskTable tasks;
  private final int hand;
  private final int[] deck;
  private final int leastUnits;

  /// By model and how many thousandths of a device are free: the least CPU of a task that does not
  /// need more.
  private final long[][] leastCpu;

  private final long[] served;
  private int[] scratch = new int[16];

  NodePotential(TaskTable tasks) {
    this(tasks, HAND, deal(tasks, HANDS * HAND));
  }

  /// @param deck classes, as many for each hand as a hand has cards
  NodePotential(TaskTable tasks, int hand, int[] deck) {
    this.tasks = tasks;
    this.hand = hand;
    this.deck = deck;
    served = new long[deck.length / hand];
    int least = Integer.MAX_VALUE;
    for (int i = 0; i < tasks.count; i++) {
      if (tasks.devices[i] > 0) {
        least = Math.min(least, tasks.units[i]);
      }
    }
    leastUnits = least;
    leastCpu = new long[tasks.modelCount()][];
    for (int model = 0; model < leastCpu.length; model++) {
      leastCpu[model] = leastCpu(tasks, model);
    }
  }

  private static long[] leastCpu(TaskTable tasks, int model) {
    long[] least = new long[STEPS + 1];
    Arrays.fill(least, Long.MAX_VALUE);
    for (int task = 0; task < tasks.count; task++) {
      if (tasks.devices[task] > 0 && tasks.admits(task, model)) {
        int step = step(tasks.units[task]);
        least[step] = Math.min(least[step], tasks.cpuMillis[task]);
      }
    }
    for (int step = 1; step <= STEPS; step++) {
      least[step] = Math.min(least[step], least[step - 1]);
    }
    return least;
  }

  private static int step(int units) {
    return Math.min(units / STEP, STEPS);
  }

  /// Systematic sampling, then a shuffle that is the same everywhere.
  private static int[] deal(TaskTable tasks, int cards) {
    if (tasks.count == 0) {
      return new int[0];
    }
    int[] deck = new int[cards];
    int task = 0;
    double reached = tasks.share[0];
    for (int i = 0; i < cards; i++) {
      double quantile = (i + 0.5) / cards;
      while (quantile > reached && task < tasks.count - 1) {
        reached += tasks.share[++task];
      }
      deck[i] = task;
    }
    for (int i = cards - 1; i > 0; i--) {
      int other = (int) Long.remainderUnsigned(BitMixer.mix(SEED, i), i + 1L);
      int card = deck[i];
      deck[i] = deck[other];
      deck[other] = card;
    }
    return deck;
  }

  /// Units that are served.
  ///
  /// @param chance weight of the plain mean, 0 to 1; the leaning mean has the rest
  double of(Space space, double chance) {
    if (Double.isNaN(space.leaningFill)) {
      fill(space);
    }
    return space.leaningFill + chance * (space.meanFill - space.leaningFill);
  }

  private void fill(Space space) {
    int size = space.units.length;
    if (size == 0 || deck.length == 0) {
      space.leaningFill = 0;
      return;
    }
    if (scratch.length < size) {
      scratch = new int[2 * size];
    }
    long most = 0;
    long all = 0;
    for (int i = 0; i < served.length; i++) {
      served[i] = play(space, i * hand);
      most = Math.max(most, served[i]);
      all += served[i];
    }
    double sum = 0;
    for (long units : served) {
      // Strict, and the result rounded: the same on every machine.
      sum += units == most ? 1 : StrictMath.exp((units - most) / LEANING);
    }
    space.leaningFill = Math.rint(most + LEANING * StrictMath.log(sum / served.length));
    space.meanFill = Math.rint((double) all / served.length);
  }

  private long play(Space space, int from) {
    int size = space.units.length;
    int[] free = scratch;
    System.arraycopy(space.units, 0, free, 0, size);
    long cpu = space.cpuMillis;
    long total = space.totalUnits();
    long sum = 0;
    for (int i = from; i < from + hand; i++) {
      int task = deck[i];
      if (tasks.cpuMillis[task] > cpu) {
        continue;
      }
      int devices = tasks.devices[task];
      if (devices == 0) {
        cpu -= tasks.cpuMillis[task];
        continue;
      }
      int units = tasks.units[task];
      boolean taken =
          devices == 1
              ? takeTightest(space, free, size, task, units)
              : takeSeveral(space, free, size, task, devices, units);
      if (taken) {
        cpu -= tasks.cpuMillis[task];
        sum += (long) devices * units;
        if (total - sum < leastUnits || isFull(space, free, cpu)) {
          break;
        }
      }
    }
    return sum;
  }

  /// Whether surely no task with GPU fits any more.
  private boolean isFull(Space space, int[] free, long cpu) {
    for (int i = 0; i < space.units.length; i++) {
      if (leastCpu[space.models[i]][step(free[i])] <= cpu) {
        return false;
      }
    }
    return true;
  }

  private boolean takeTightest(Space space, int[] free, int size, int task, int units) {
    long models = tasks.models[task];
    int best = -1;
    int least = Integer.MAX_VALUE;
    for (int i = 0; i < size; i++) {
      int left = free[i];
      if (left >= units && left < least && (models >>> space.models[i] & 1) != 0) {
        best = i;
        least = left;
      }
    }
    if (best >= 0) {
      free[best] -= units;
    }
    return best >= 0;
  }

  private boolean takeSeveral(Space space, int[] free, int size, int task, int devices, int units) {
    int fitting = 0;
    for (int i = 0; i < size; i++) {
      if (free[i] >= units && tasks.admits(task, space.models[i])) {
        fitting++;
      }
    }
    if (fitting < devices) {
      return false;
    }
    int missing = devices;
    for (int i = 0; missing > 0; i++) {
      if (free[i] >= units && tasks.admits(task, space.models[i])) {
        free[i] -= units;
        missing--;
      }
    }
    return true;
  }
}
