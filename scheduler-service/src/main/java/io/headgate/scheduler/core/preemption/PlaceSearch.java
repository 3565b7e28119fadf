package io.headgate.scheduler.core.preemption;

import io.headgate.scheduler.core.placement.NodeState;
import io.headgate.scheduler.core.placement.Shape;
import io.headgate.scheduler.core.queue.LiveAttempt;
import io.headgate.scheduler.core.queue.RoomRequest;
import io.headgate.scheduler.core.queue.Route;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Looks for victims place by place, where taking them in their order leads to no place (P4, step
/// 4).
///
/// The order of victims takes no notice of nodes. Where a policy is over its reservation by eight
/// GPUs, scattered over two nodes, the order ends on both before either is free. Here each node is
/// looked at by itself. The search chooses from the permitted sets of all nodes that make room. It
/// takes the set whose most protected victim comes first in the order, then the fewest victims,
/// then the least lost work.
///
/// A node is left out if its candidates up to the best choice so far have too few units. So most
/// nodes need no look: the nodes that may give the best choice come first.
///
/// For a job of one worker the search is exact, up to [#MAX_STEPS]. For a gang see [GangClearing].
final class PlaceSearch {
  /// Bounds a search; a step costs about a microsecond.
  static final int MAX_STEPS = 200_000;

  /// Victims that make room.
  ///
  /// @param trial with the victims removed
  record Choice(RemovalTrial trial, List<LiveAttempt> victims) {}

  private record Best(
      RemovalTrial trial, Route route, List<Candidate> victims, int last, double lost) {
    boolean isBetterThan(@Nullable Best other) {
      if (other == null) {
        return true;
      }
      if (last != other.last) {
        return last < other.last;
      }
      return victims.size() == other.victims.size()
          ? lost < other.lost
          : victims.size() < other.victims.size();
    }
  }

  private final RoomRequest request;
  private final Candidates candidates;
  private final Instant now;
  private final Steps steps;
  private @Nullable Best best;
  private boolean gaveUp;

  /// Counts the steps of a search.
  static final class Steps {
    private int left;

    Steps(int most) {
      left = most;
    }

    boolean take() {
      return left-- > 0;
    }

    boolean take(int several) {
      left -= several;
      return left >= 0;
    }

    boolean areUsedUp() {
      return left < 0;
    }
  }

  PlaceSearch(RoomRequest request, Candidates candidates, Instant now, int maxSteps) {
    this.request = request;
    this.candidates = candidates;
    this.now = now;
    this.steps = new Steps(maxSteps);
  }

  /// Whether the search ended at its bound, so that there may be a place nevertheless.
  boolean gaveUp() {
    return gaveUp || steps.areUsedUp();
  }

  /// The best choice; null: none was found.
  @Nullable Choice find() {
    for (Route route : request.routes()) {
      RemovalTrial trial = new RemovalTrial(request, route);
      if (candidates.in(route.pool()).isEmpty() && !trial.hasNodes()) {
        continue;
      }
      Permission permission = new Permission(request, route);
      if (trial.hasNodes()) {
        // Only ceilings are in the way.
        consider(route, trial, permission, List.of());
      } else if (trial.shape().isGang()) {
        findForGang(route, trial, permission);
      } else {
        findOn(route, trial, permission);
      }
    }
    return best == null ? null : choice(best);
  }

  private Choice choice(Best best) {
    RemovalTrial trial = new RemovalTrial(request, best.route());
    List<LiveAttempt> victims = new ArrayList<>();
    best.victims().stream()
        // Victims of the own policy go first, then the larger last: each goes while its policy is
        // above its reservation.
        .sorted(
            Comparator.<Candidate, Boolean>comparing(victim -> !request.isOwn(victim.attempt()))
                .thenComparingLong(victim -> victim.attempt().takenUnits())
                .thenComparingInt(Candidate::place))
        .forEach(victim -> {
          trial.remove(victim.attempt());
          victims.add(victim.attempt());
        });
    return new Choice(trial, victims);
  }

  /// A node with the least place of a most protected victim that could suffice.
  private record Prospect(NodeState node, List<Candidate> candidates, int least) {}

  private void findOn(Route route, RemovalTrial trial, Permission permission) {
    List<Prospect> prospects = new ArrayList<>();
    for (Map.Entry<NodeState, List<Candidate>> entry :
        candidates.nodesOf(route.pool()).entrySet()) {
      NodeState node = entry.getKey();
      int least = trial.offers(node) ? least(trial.shape(), node, entry.getValue()) : -1;
      if (least >= 0) {
        prospects.add(new Prospect(node, entry.getValue(), least));
      }
    }
    prospects.sort(Comparator.comparingInt(Prospect::least));
    for (Prospect prospect : prospects) {
      if (prospect.least() > last() || steps.areUsedUp()) {
        return;
      }
      new NodeClearing(
              trial,
              prospect.node(),
              prospect.candidates(),
              new NodeClearing.Bounds() {
                @Override
                public int last() {
                  return PlaceSearch.this.last();
                }

                @Override
                public boolean permits(Set<Candidate> victims) {
                  return permission.allowsSoFar(victims);
                }

                @Override
                public boolean step() {
                  return steps.take();
                }
              },
              victims -> consider(route, trial, permission, victims))
          .findAll();
    }
  }

  private int last() {
    return best == null ? Integer.MAX_VALUE : best.last();
  }

  /// The place in the order up to which the node's candidates have to go for the units to suffice;
  /// -1: they do not.
  private static int least(Shape shape, NodeState node, List<Candidate> candidates) {
    long missing = shape.units() - node.freeUnitsSoon();
    for (Candidate candidate : candidates) {
      missing -= candidate.attempt().takenUnits();
      if (missing <= 0) {
        return candidate.place();
      }
    }
    return -1;
  }

  private void findForGang(Route route, RemovalTrial trial, Permission permission) {
    GangClearing gang =
        new GangClearing(trial, candidates.in(route.pool()), permission, now, steps);
    Set<Candidate> victims = gang.find();
    gaveUp |= gang.gaveUp();
    if (victims != null) {
      consider(route, trial, permission, victims);
      victims.forEach(victim -> trial.restore(victim.attempt()));
    }
  }

  /// Takes victims as the best choice if they are, without those that are not needed.
  ///
  /// @param found removed from the trial, also afterwards
  private void consider(
      Route route, RemovalTrial trial, Permission permission, Collection<Candidate> found) {
    Set<Candidate> victims = new LinkedHashSet<>(found);
    List<Candidate> more = makeRoomUnderCeilings(route, trial, permission, victims);
    List<Candidate> spared = new ArrayList<>();
    if (trial.fits()) {
      spared = spare(trial, victims);
      Best choice =
          new Best(
              trial, route, List.copyOf(victims), Candidate.mostProtected(victims), lost(victims));
      if (choice.isBetterThan(best)) {
        best = choice;
      }
    }
    spared.forEach(victim -> trial.remove(victim.attempt()));
    more.forEach(victim -> trial.restore(victim.attempt()));
  }

  /// Where a ceiling is in the way as well, victims anywhere in the pool help; the first to go
  /// first. If they do not suffice, once more with room kept for the largest of each unit, which
  /// can go last.
  private List<Candidate> makeRoomUnderCeilings(
      Route route, RemovalTrial trial, Permission permission, Set<Candidate> victims) {
    List<Candidate> more = new ArrayList<>();
    if (!trial.isOverCeiling()) {
      return more;
    }
    List<Candidate> inPool = helpful(route, trial);
    if (request.within()) {
      List<Candidate> own =
          inPool.stream().filter(candidate -> request.isOwn(candidate.attempt())).toList();
      add(own, List.of(), trial, permission, victims, more);
      takeBackIfInVain(trial, victims, more);
    }
    add(inPool, List.of(), trial, permission, victims, more);
    if (trial.isOverCeiling()) {
      takeBackIfInVain(trial, victims, more);
      Collection<Candidate> largest = permission.largest(inPool);
      add(inPool, largest, trial, permission, victims, more);
      add(List.copyOf(largest), List.of(), trial, permission, victims, more);
    }
    return more;
  }

  private static void takeBackIfInVain(
      RemovalTrial trial, Set<Candidate> victims, List<Candidate> more) {
    if (trial.isOverCeiling()) {
      more.forEach(victim -> trial.restore(victim.attempt()));
      more.forEach(victims::remove);
      more.clear();
    }
  }

  /// The candidates that may make room under ceilings, the first to go first.
  private List<Candidate> helpful(Route route, RemovalTrial trial) {
    return trial.gainsElsewhere() ? candidates.helpingIn(trial) : candidates.in(route.pool());
  }

  /// Adds victims until no ceiling is in the way.
  ///
  /// @param kept must be permitted beside them
  private void add(
      List<Candidate> from,
      Collection<Candidate> kept,
      RemovalTrial trial,
      Permission permission,
      Set<Candidate> victims,
      List<Candidate> more) {
    for (Candidate candidate : from) {
      if (!trial.isOverCeiling() || candidate.place() > last() || !steps.take()) {
        return;
      }
      if (candidate.attempt().takenUnits() == 0
          || kept.contains(candidate)
          || !victims.add(candidate)) {
        continue;
      }
      Set<Candidate> all = new LinkedHashSet<>(victims);
      all.addAll(kept);
      if (permission.allowsSoFar(all)) {
        trial.remove(candidate.attempt());
        more.add(candidate);
      } else {
        victims.remove(candidate);
      }
    }
  }

  /// Spares victims that are not needed, the most protected first.
  private static List<Candidate> spare(RemovalTrial trial, Set<Candidate> victims) {
    List<Candidate> spared = new ArrayList<>();
    List<Candidate> order = new ArrayList<>(victims);
    order.sort(Comparator.comparingInt(Candidate::place).reversed());
    for (Candidate victim : order) {
      trial.restore(victim.attempt());
      if (trial.fits()) {
        victims.remove(victim);
        spared.add(victim);
      } else {
        trial.remove(victim.attempt());
      }
    }
    return spared;
  }

  private double lost(Collection<Candidate> victims) {
    double sum = 0;
    for (Candidate victim : victims) {
      sum += victim.attempt().lostWork(now);
    }
    return sum;
  }
}
