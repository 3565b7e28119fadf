package io.headgate.scheduler.core.preemption;

import io.headgate.scheduler.core.job.Assignment;
import io.headgate.scheduler.core.job.AttemptId;
import io.headgate.scheduler.core.job.WorkerPlace;
import io.headgate.scheduler.core.node.NodeId;
import io.headgate.scheduler.core.placement.NodeState;
import io.headgate.scheduler.core.placement.Room;
import io.headgate.scheduler.core.preemption.NodeEnds.Expected;
import io.headgate.scheduler.core.queue.LiveAttempt;
import io.headgate.scheduler.core.queue.Route;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Finds where a blocked job will fit first if no other job takes the place (O7).
///
/// Attempts end when they are expected to. Attempts whose ends are unknown end after all others,
/// beginning with the node that has the fewest attempts without a declared run time. Endless ones
/// do not end. The job fits where it fits at the first of these ends.
///
/// A job of one worker waits for the attempts of one node. So each node is looked at by itself, and
/// anew only when something has changed there. For a gang, and where a ceiling is in the way,
/// attempts end one after the other in the whole pool.
///
/// A job of 2 GPUs; node a runs one of 2 until 12:00, node b two of 1 until 11:00 and 13:00: a, at
/// 12:00.
public final class HoldSearch {
  /// The outcome of a search.
  public sealed interface Outcome {}

  /// A place, and the attempts that must end before the job can start there.
  ///
  /// @param expectedStart absent when the end of one of those is unknown
  public record Found(Assignment place, List<AttemptId> waitsFor, Optional<Instant> expectedStart)
      implements Outcome {
    /// Whether the job is expected to start earlier there; an unknown start is the latest.
    public boolean isEarlierThan(Found other) {
      return expectedStart.orElse(Instant.MAX).isBefore(other.expectedStart().orElse(Instant.MAX));
    }
  }

  /// The job does not fit even when all have ended that ever will.
  ///
  /// @param endless whether some will probably not
  public record NoPlace(boolean endless) implements Outcome {}

  private final RemovalTrial trial;
  private final ExpectedEnds ends;
  private final Instant now;

  /// The attempts that were removed from the trial.
  private final Set<LiveAttempt> ended = new LinkedHashSet<>();

  private HoldSearch(Route route, ExpectedEnds ends, Instant now) {
    this.trial = new RemovalTrial(route);
    this.ends = ends;
    this.now = now;
  }

  /// Looks for the place in one pool.
  ///
  /// @param ends what is expected of the attempts in the route's pool
  public static Outcome search(Route route, ExpectedEnds ends, Instant now) {
    HoldSearch search = new HoldSearch(route, ends, now);
    if (search.trial.fits()) {
      return search.found(Optional.of(now));
    }
    return search.trial.shape().isGang() || search.trial.isOverCeiling()
        ? search.inPool()
        : search.onOneNode();
  }

  /// The place of a job in a pool, on free capacity and that of attempts that stop.
  public static Optional<Assignment> soon(Route route) {
    RemovalTrial trial = new RemovalTrial(route);
    return trial.fits() ? Optional.of(trial.place()) : Optional.empty();
  }

  /// The place of a job in a pool once these attempts have gone.
  public static Optional<Assignment> without(Iterable<LiveAttempt> gone, Route route) {
    RemovalTrial trial = new RemovalTrial(route);
    gone.forEach(trial::remove);
    return trial.fits() ? Optional.of(trial.place()) : Optional.empty();
  }

  private Outcome inPool() {
    Instant last = now;
    for (Iterator<Expected> known = ends.inOrder(); known.hasNext(); ) {
      Expected next = known.next();
      last = next.end().isAfter(last) ? next.end() : last;
      if (endsNow(next.attempt())) {
        return found(Optional.of(last));
      }
    }
    for (Iterator<NodeEnds> nodes = ends.fewestUndeclaredFirst(); nodes.hasNext(); ) {
      for (LiveAttempt next : ends.unknown(nodes.next())) {
        if (endsNow(next)) {
          return found(Optional.empty());
        }
      }
    }
    return new NoPlace(ends.someAreEndless());
  }

  /// @return whether the job fits now
  private boolean endsNow(LiveAttempt attempt) {
    if (!ended.add(attempt)) {
      return false; // A gang, seen on another of its nodes.
    }
    trial.remove(attempt);
    return trial.fits();
  }

  private Outcome onOneNode() {
    Expected first = null;
    NodeEnds best = null;
    for (NodeEnds node : ends.nodes()) {
      List<Expected> known = node.node().willTakeWork() ? ends.known(node) : List.of();
      Expected soonest = known.isEmpty() ? null : node.soonest(trial.shape());
      if (soonest == null || (first != null && soonest.compareTo(first) > 0)) {
        continue;
      }
      Expected last = node.lastToEnd(trial.shape(), known, soonest);
      if (last != null && (best == null || isFirst(node, last, best, first))) {
        first = last;
        best = node;
      }
    }
    if (first == null || best == null) {
      return onOneNodeAtLast();
    }
    for (Expected each : ends.known(best)) {
      end(each.attempt());
      if (each.equals(first)) {
        break;
      }
    }
    return found(Optional.of(first.end().isAfter(now) ? first.end() : now));
  }

  /// Whether the job fits on the one node before it fits on the other. A gang that ends frees all
  /// of its nodes at once; then the nodes decide, not the order in which they came to be known.
  private static boolean isFirst(
      NodeEnds node, Expected last, NodeEnds other, @Nullable Expected lastOfOther) {
    int order = lastOfOther == null ? -1 : last.compareTo(lastOfOther);
    return order < 0 || (order == 0 && node.node().compareTo(other.node()) < 0);
  }

  /// All attempts whose ends are known have ended, and the job does not fit.
  private Outcome onOneNodeAtLast() {
    for (Iterator<NodeEnds> nodes = ends.fewestUndeclaredFirst(); nodes.hasNext(); ) {
      NodeEnds node = nodes.next();
      List<LiveAttempt> last = trial.offers(node.node()) ? lastOn(node) : List.of();
      if (!last.isEmpty()) {
        last.forEach(this::end);
        return found(Optional.empty());
      }
    }
    return new NoPlace(ends.someAreEndless());
  }

  /// The attempts that must end on the node although the ends of some are unknown; none: the job
  /// does not fit even then.
  private List<LiveAttempt> lastOn(NodeEnds node) {
    Room room = Room.soon(node.node());
    List<LiveAttempt> last = new ArrayList<>();
    for (Expected known : ends.known(node)) {
      NodeEnds.give(room, known.attempt());
      last.add(known.attempt());
    }
    for (LiveAttempt unknown : ends.unknown(node)) {
      NodeEnds.give(room, unknown);
      last.add(unknown);
      if (room.workers(trial.shape()) > 0) {
        return last;
      }
    }
    return List.of();
  }

  private void end(LiveAttempt attempt) {
    ended.add(attempt);
    trial.remove(attempt);
  }

  private Found found(Optional<Instant> expectedStart) {
    Assignment place = trial.place();
    return new Found(place, onNodesOf(place), expectedStart);
  }

  private List<AttemptId> onNodesOf(Assignment place) {
    Set<NodeId> nodes = new HashSet<>();
    for (WorkerPlace worker : place.workers()) {
      nodes.add(worker.node());
    }
    List<AttemptId> waitsFor = new ArrayList<>();
    for (LiveAttempt attempt : ended) {
      for (NodeState node : attempt.nodes()) {
        if (nodes.contains(node.id())) {
          waitsFor.add(attempt.id());
          break;
        }
      }
    }
    return waitsFor;
  }
}
