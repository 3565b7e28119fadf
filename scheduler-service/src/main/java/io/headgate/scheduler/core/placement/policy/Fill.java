package io.headgate.scheduler.core.placement.policy;

/// What a node can still become: how many units of it are served on average when tasks of the mix
/// come one after the other until it is full.
///
/// All spaces are filled from the same deck of tasks, so that two spaces differ by what they are
/// and not by chance. The deck holds each class exactly as often as its share says, is shuffled
/// once and dealt into hands; each hand fills the space anew. A task takes the device on which the
/// least is left; one that does not fit is passed over.
///
/// A space with 1/2 and 1 GPU free and hands (1/2, 1/2, 1) and (1, 1, 1/2): the first hand serves
/// 1/2 on the half, 1/2 on the whole, and its last task does not fit: 1; the second serves 1, and
/// then 1/2 on the half: 3/2. The mean is 5/4.
final class Fill {
  static final int HANDS = 64;
  static final int HAND = 60;
  private static final long SEED = 0x9E3779B97F4A7C15L;

  private final Tasks tasks;
  private final int hand;
  private final int[] deck;
  private final int leastUnits;
  private int[] scratch = new int[16];

  Fill(Tasks tasks) {
    this(tasks, HAND, deal(tasks, HANDS * HAND));
  }

  /// @param deck classes, as many for each hand as a hand has cards
  Fill(Tasks tasks, int hand, int[] deck) {
    this.tasks = tasks;
    this.hand = hand;
    this.deck = deck;
    int least = Integer.MAX_VALUE;
    for (int i = 0; i < tasks.count; i++) {
      if (tasks.devices[i] > 0) {
        least = Math.min(least, tasks.units[i]);
      }
    }
    leastUnits = least;
  }

  /// Systematic sampling, then a shuffle that is the same everywhere.
  private static int[] deal(Tasks tasks, int cards) {
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
      int other = (int) Long.remainderUnsigned(Scramble.scramble(SEED, i), i + 1L);
      int card = deck[i];
      deck[i] = deck[other];
      deck[other] = card;
    }
    return deck;
  }

  /// Mean of the units that are served.
  double of(Space space) {
    if (Double.isNaN(space.fill)) {
      space.fill = fill(space);
    }
    return space.fill;
  }

  private double fill(Space space) {
    int size = space.units.length;
    if (size == 0 || deck.length == 0) {
      return 0;
    }
    if (scratch.length < size) {
      scratch = new int[2 * size];
    }
    long served = 0;
    for (int from = 0; from < deck.length; from += hand) {
      served += play(space, from);
    }
    return served * (double) hand / deck.length;
  }

  private long play(Space space, int from) {
    int size = space.units.length;
    int[] free = scratch;
    System.arraycopy(space.units, 0, free, 0, size);
    long cpu = space.cpuMillis;
    long total = space.totalUnits();
    long served = 0;
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
        served += (long) devices * units;
        if (total - served < leastUnits) {
          break;
        }
      }
    }
    return served;
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
