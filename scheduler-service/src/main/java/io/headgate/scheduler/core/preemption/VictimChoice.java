package io.headgate.scheduler.core.preemption;

import io.headgate.scheduler.core.job.Slice;
import io.headgate.scheduler.core.placement.NodeState;
import io.headgate.scheduler.core.placement.Room;
import io.headgate.scheduler.core.placement.Shape;
import io.headgate.scheduler.core.queue.LiveAttempt;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/// Chooses from the victims of the shortest prefix the fewest that make room, then those with the
/// least lost work. No proper subset of them would do (P4).
///
/// Three heuristics come first: spare the victims with the most lost work; empty the cheapest
/// devices; empty the cheapest nodes. Then an exact search tries all smaller or cheaper subsets,
/// node by node, up to [#MAX_TRIALS]; a node with eight whole-GPU jobs always stays within it.
/// Beyond that the best heuristic result stands, of which no victim can be spared.
///
/// The tally always lacks exactly the victims in `removed`; at the end, the chosen ones.
final class VictimChoice {
  /// Bounds the exact search; a trial costs well under a microsecond.
  static final int MAX_TRIALS = 5_000;

  private final RemovalTrial trial;
  private final List<LiveAttempt> prefix;
  private final Instant now;
  private final Set<LiveAttempt> removed;
  private List<LiveAttempt> best;
  private double bestLost;
  private int trials;

  private VictimChoice(RemovalTrial trial, List<LiveAttempt> prefix, Instant now) {
    this.trial = trial;
    this.prefix = prefix;
    this.now = now;
    this.removed = new HashSet<>(prefix);
    this.best = prefix;
    this.bestLost = lost(prefix);
  }

  /// Chooses.
  ///
  /// @param trial with the whole prefix removed; afterwards with the chosen ones removed
  /// @return the chosen ones, in the order of the prefix
  static List<LiveAttempt> choose(RemovalTrial trial, List<LiveAttempt> prefix, Instant now) {
    if (prefix.size() == 1) {
      return prefix;
    }
    VictimChoice choice = new VictimChoice(trial, prefix, now);
    choice.guess(prefix);
    Map<NodeState, List<LiveAttempt>> byNode = choice.byNode();
    if (trial.shape().isGang() || trial.gainsElsewhere() || choice.ceilingBinds()) {
      choice.guess(choice.cheapestNodes(byNode));
      choice.tryAll(prefix, 1);
    } else {
      byNode.keySet().retainAll(choice.nodesThatFit(byNode.keySet()));
      for (Map.Entry<NodeState, List<LiveAttempt>> entry : byNode.entrySet()) {
        choice.guess(entry.getValue());
        choice.guess(choice.cheapestDevices(entry.getKey(), entry.getValue()));
      }
      for (Map.Entry<NodeState, List<LiveAttempt>> entry : byNode.entrySet()) {
        choice.tryAll(entry.getValue(), choice.fewestOn(entry.getKey(), entry.getValue()));
      }
    }
    choice.removeExactly(choice.best);
    return choice.best;
  }

  private double lost(List<LiveAttempt> victims) {
    double sum = 0;
    for (LiveAttempt victim : victims) {
      sum += victim.lostWork(now);
    }
    return sum;
  }

  /// Whether the pool's ceiling blocks the job, too. A victim on any node then helps.
  private boolean ceilingBinds() {
    removeExactly(List.of());
    return trial.isOverCeiling();
  }

  /// The nodes on which the job would fit without the whole prefix. For a job of one worker, these
  /// are the nodes of the last victim.
  private Set<NodeState> nodesThatFit(Set<NodeState> nodes) {
    removeExactly(prefix);
    Set<NodeState> fitting = new HashSet<>();
    for (NodeState node : nodes) {
      if (trial.workers(node) > 0) {
        fitting.add(node);
      }
    }
    return fitting;
  }

  /// The least number of victims on the node whose units could suffice.
  private int fewestOn(NodeState node, List<LiveAttempt> onNode) {
    removeExactly(List.of());
    long missing = trial.shape().units() - trial.room(node).units();
    long[] units = new long[onNode.size()];
    for (int i = 0; i < units.length; i++) {
      units[i] = onNode.get(i).takenUnits();
    }
    Arrays.sort(units);
    int fewest = 0;
    for (int i = units.length - 1; i >= 0 && missing > 0; i--) {
      missing -= units[i];
      fewest++;
    }
    return Math.max(1, fewest);
  }

  private Map<NodeState, List<LiveAttempt>> byNode() {
    Map<NodeState, List<LiveAttempt>> byNode = new TreeMap<>();
    for (LiveAttempt victim : prefix) {
      for (NodeState node : new LinkedHashSet<>(victim.nodes())) {
        if (!trial.offers(node)) {
          continue;
        }
        byNode.computeIfAbsent(node, key -> new ArrayList<>()).add(victim);
      }
    }
    return byNode;
  }

  private void removeExactly(List<LiveAttempt> victims) {
    Set<LiveAttempt> wanted = new HashSet<>(victims);
    for (LiveAttempt victim : prefix) {
      if (wanted.contains(victim) && removed.add(victim)) {
        trial.remove(victim);
      } else if (!wanted.contains(victim) && removed.remove(victim)) {
        trial.restore(victim);
      }
    }
  }

  /// If the victims make room, spares those that are not needed, the most lost work first. The rest
  /// becomes the best choice if it is better.
  private void guess(List<LiveAttempt> victims) {
    removeExactly(victims);
    if (!trial.fits()) {
      return;
    }
    List<LiveAttempt> dearestFirst = new ArrayList<>(victims);
    dearestFirst.sort(
        Comparator.<LiveAttempt>comparingDouble(victim -> -victim.lostWork(now))
            .thenComparingLong(LiveAttempt::sequence));
    for (LiveAttempt victim : dearestFirst) {
      trial.restore(victim);
      if (trial.fits()) {
        removed.remove(victim);
      } else {
        trial.remove(victim);
      }
    }
    keepIfBetter();
  }

  private void keepIfBetter() {
    List<LiveAttempt> chosen = new ArrayList<>();
    for (LiveAttempt victim : prefix) {
      if (removed.contains(victim)) {
        chosen.add(victim);
      }
    }
    double chosenLost = lost(chosen);
    if (chosen.size() < best.size() || (chosen.size() == best.size() && chosenLost < bestLost)) {
      best = chosen;
      bestLost = chosenLost;
    }
  }

  /// The victims on as many whole devices of the node as a worker needs. Prefers devices with the
  /// fewest victims, then with the least lost work.
  private List<LiveAttempt> cheapestDevices(NodeState node, List<LiveAttempt> onNode) {
    Shape shape = trial.shape();
    if (shape.wholeDevices() == 0) {
      return onNode;
    }
    removeExactly(List.of());
    Room room = trial.room(node);
    record Clearing(int slot, Set<LiveAttempt> victims, double lost) {}
    List<Clearing> clearings = new ArrayList<>();
    for (int slot = 0; slot < node.deviceCount(); slot++) {
      Set<LiveAttempt> victims = new LinkedHashSet<>();
      long units = 0;
      double lost = 0;
      for (LiveAttempt victim : onNode) {
        long part = unitsOn(node, slot, victim);
        if (part > 0) {
          victims.add(victim);
          units += part;
          lost += victim.lostWork(now);
        }
      }
      if (room.wouldBeIdle(slot, units)) {
        clearings.add(new Clearing(slot, victims, lost));
      }
    }
    clearings.sort(
        Comparator.<Clearing>comparingInt(clearing -> clearing.victims().size())
            .thenComparingDouble(Clearing::lost)
            .thenComparingInt(Clearing::slot));
    Set<LiveAttempt> victims = new LinkedHashSet<>();
    int wanted = Math.min(shape.wholeDevices(), clearings.size());
    for (Clearing clearing : clearings.subList(0, wanted)) {
      victims.addAll(clearing.victims());
    }
    return new ArrayList<>(victims);
  }

  private static long unitsOn(NodeState node, int slot, LiveAttempt attempt) {
    long units = 0;
    for (int worker = 0; worker < attempt.workers(); worker++) {
      if (attempt.nodes().get(worker) == node) {
        for (Slice slice : attempt.share(worker).slices()) {
          if (node.slot(slice.device()) == slot) {
            units += slice.quantity().units();
          }
        }
      }
    }
    return units;
  }

  /// The victims on as many nodes as needed. Prefers nodes with the fewest victims per worker
  /// gained.
  private List<LiveAttempt> cheapestNodes(Map<NodeState, List<LiveAttempt>> byNode) {
    removeExactly(List.of());
    record Clearing(List<LiveAttempt> victims, double victimsPerWorker, double lost) {}
    List<Clearing> clearings = new ArrayList<>();
    for (Map.Entry<NodeState, List<LiveAttempt>> entry : byNode.entrySet()) {
      int before = trial.workers(entry.getKey());
      entry.getValue().forEach(trial::remove);
      int gained = trial.workers(entry.getKey()) - before;
      entry.getValue().forEach(trial::restore);
      if (gained > 0) {
        List<LiveAttempt> victims = entry.getValue();
        clearings.add(new Clearing(victims, victims.size() / (double) gained, lost(victims)));
      }
    }
    clearings.sort(
        Comparator.comparingDouble(Clearing::victimsPerWorker).thenComparingDouble(Clearing::lost));
    Set<LiveAttempt> victims = new LinkedHashSet<>();
    for (Clearing clearing : clearings) {
      if (!trial.fits()) {
        for (LiveAttempt victim : clearing.victims()) {
          if (victims.add(victim)) {
            removed.add(victim);
            trial.remove(victim);
          }
        }
      }
    }
    return new ArrayList<>(victims);
  }

  /// Tries all subsets of the victims that could be better than the best choice so far, the
  /// smallest first.
  private void tryAll(List<LiveAttempt> victims, int fewest) {
    removeExactly(List.of());
    int before = best.size();
    for (int size = fewest; size <= Math.min(best.size(), victims.size()); size++) {
      trySubsets(victims, 0, size, 0);
      if ((best.size() < before && best.size() == size) || trials >= MAX_TRIALS) {
        return;
      }
    }
  }

  private void trySubsets(List<LiveAttempt> victims, int from, int missing, double lost) {
    if (missing == 0) {
      trials++;
      if (trial.fits()) {
        keepIfBetter();
      }
      return;
    }
    for (int i = from; i <= victims.size() - missing && trials < MAX_TRIALS; i++) {
      LiveAttempt victim = victims.get(i);
      double sum = lost + victim.lostWork(now);
      int size = removed.size() + missing;
      if (size == best.size() && sum >= bestLost) {
        continue;
      }
      removed.add(victim);
      trial.remove(victim);
      trySubsets(victims, i + 1, missing - 1, sum);
      trial.restore(victim);
      removed.remove(victim);
    }
  }
}
