package io.headgate.scheduler.core.preemption;

import io.headgate.scheduler.core.placement.NodeState;
import io.headgate.scheduler.core.preemption.PlaceSearch.Steps;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Finds victims that make room for all workers of a gang in one pool.
///
/// For a bound in the order of victims it gains one worker after the other, each where it costs the
/// fewest victims, then the least lost work, and where the set stays permitted. It looks for the
/// lowest bound at which that succeeds. So the result is permitted and makes room, but a better one
/// may exist, and where it finds none there may be one.
final class GangClearing {
  /// A way to gain one more worker on a node.
  private record Gain(NodeState node, Set<Candidate> victims, double lost) {}

  private static final Comparator<Gain> CHEAPEST_FIRST =
      Comparator.<Gain>comparingInt(gain -> gain.victims().size())
          .thenComparingDouble(Gain::lost)
          .thenComparingInt(gain -> Candidate.mostProtected(gain.victims()));

  private final RemovalTrial trial;
  private final List<Candidate> candidates;
  private final Permission permission;
  private final Instant now;
  private final Steps steps;
  private boolean gaveUp;

  /// @param candidates of the pool, in the order of victims
  GangClearing(
      RemovalTrial trial,
      List<Candidate> candidates,
      Permission permission,
      Instant now,
      Steps steps) {
    this.trial = trial;
    this.candidates = candidates;
    this.permission = permission;
    this.now = now;
    this.steps = steps;
  }

  /// Whether there may be victims although it found none.
  boolean gaveUp() {
    return gaveUp;
  }

  /// The victims, removed from the trial; null: none were found, and the trial is as before.
  @Nullable Set<Candidate> find() {
    if (!wouldFitWithoutAny()) {
      return null;
    }
    // The least number of candidates, the first to go first, of which some make room.
    int most = candidates.size();
    int failed = 0;
    int tried = Math.min(most, trial.shape().workers());
    Set<Candidate> found = attempt(tried);
    while (found == null && tried < most && !steps.areUsedUp()) {
      failed = tried;
      tried = Math.min(most, 2 * tried);
      found = attempt(tried);
    }
    if (found == null) {
      gaveUp = true;
      return null;
    }
    while (failed + 1 < tried && !steps.areUsedUp()) {
      int middle = (failed + tried) >>> 1;
      restore(found);
      Set<Candidate> better = attempt(middle);
      if (better == null) {
        failed = middle;
        found.forEach(victim -> trial.remove(victim.attempt()));
      } else {
        tried = middle;
        found = better;
      }
    }
    return found;
  }

  /// Whether it would fit if all candidates went, whatever is permitted.
  private boolean wouldFitWithoutAny() {
    candidates.forEach(candidate -> trial.remove(candidate.attempt()));
    boolean fits = trial.hasNodes();
    candidates.forEach(candidate -> trial.restore(candidate.attempt()));
    return fits;
  }

  private void restore(Set<Candidate> victims) {
    victims.forEach(victim -> trial.restore(victim.attempt()));
  }

  /// Gains workers by the first `count` candidates.
  ///
  /// @return the victims, removed from the trial; null: they do not suffice
  private @Nullable Set<Candidate> attempt(int count) {
    Map<NodeState, List<Candidate>> byNode = byNode(candidates.subList(0, count));
    Set<Candidate> taken = new LinkedHashSet<>();
    PriorityQueue<Gain> gains = new PriorityQueue<>(CHEAPEST_FIRST);
    byNode.forEach((node, users) -> addGain(gains, node, users, taken));
    // Where each gain was computed, so that it is known when it is outdated.
    Map<NodeState, Integer> takenAt = new HashMap<>();
    while (!trial.hasNodes()) {
      Gain gain = gains.poll();
      if (gain == null || steps.areUsedUp()) {
        restore(taken);
        return null;
      }
      List<Candidate> users = byNode.getOrDefault(gain.node(), List.of());
      if (takenAt.getOrDefault(gain.node(), 0) != taken.size()) {
        takenAt.put(gain.node(), taken.size());
        addGain(gains, gain.node(), users, taken);
        continue;
      }
      for (Candidate victim : gain.victims()) {
        if (taken.add(victim)) {
          trial.remove(victim.attempt());
        }
      }
      takenAt.put(gain.node(), taken.size());
      addGain(gains, gain.node(), users, taken);
    }
    return taken;
  }

  private Map<NodeState, List<Candidate>> byNode(List<Candidate> allowed) {
    Map<NodeState, List<Candidate>> byNode = new LinkedHashMap<>();
    for (Candidate candidate : allowed) {
      for (NodeState node : new LinkedHashSet<>(candidate.attempt().nodes())) {
        if (trial.offers(node)) {
          byNode.computeIfAbsent(node, key -> new ArrayList<>()).add(candidate);
        }
      }
    }
    return byNode;
  }

  /// Adds the cheapest way to gain one more worker on the node, if there is one.
  private void addGain(
      PriorityQueue<Gain> gains, NodeState node, List<Candidate> users, Set<Candidate> taken) {
    List<Candidate> left = new ArrayList<>();
    for (Candidate user : users) {
      if (!taken.contains(user)) {
        left.add(user);
      }
    }
    Gain[] cheapest = new Gain[1];
    new NodeClearing(
            trial,
            node,
            left,
            new NodeClearing.Bounds() {
              @Override
              public int last() {
                return Integer.MAX_VALUE;
              }

              @Override
              public boolean permits(Set<Candidate> victims) {
                Set<Candidate> all = new LinkedHashSet<>(taken);
                all.addAll(victims);
                return permission.allowsSoFar(all);
              }

              @Override
              public boolean step() {
                return steps.take();
              }
            },
            victims -> {
              Gain gain = new Gain(node, new LinkedHashSet<>(victims), lost(victims));
              if (cheapest[0] == null || CHEAPEST_FIRST.compare(gain, cheapest[0]) < 0) {
                cheapest[0] = gain;
              }
            })
        .findAll();
    if (cheapest[0] != null) {
      gains.add(cheapest[0]);
    }
  }

  private double lost(Set<Candidate> victims) {
    double sum = 0;
    for (Candidate victim : victims) {
      sum += victim.attempt().lostWork(now);
    }
    return sum;
  }
}
