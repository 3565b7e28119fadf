package io.headgate.scheduler.core.preemption;

import io.headgate.scheduler.core.job.Assignment;
import io.headgate.scheduler.core.job.AttemptId;
import io.headgate.scheduler.core.job.WorkerPlace;
import io.headgate.scheduler.core.node.NodeId;
import io.headgate.scheduler.core.placement.NodeState;
import io.headgate.scheduler.core.queue.LiveAttempt;
import io.headgate.scheduler.core.queue.Route;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.Iterator;
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
      return expectedStart
          .orElse(Instant.MAX)
          .isBefore(other.expectedStart().orElse(Instant.MAX));
    }
  }

  /// The job does not fit even when all have ended that ever will.
  ///
  /// @param endless whether some will probably not
  public record NoPlace(boolean endless) implements Outcome {}

  private HoldSearch() {}

  /// Looks for the place in one pool.
  ///
  /// @param ends what is expected of the attempts in the route's pool
  public static Outcome search(Route route, ExpectedEnds ends, Instant now) {
    RemovalTrial trial = new RemovalTrial(route);
    List<LiveAttempt> ended = new ArrayList<>();
    for (LiveAttempt next = first(trial, ends); next != null; next = first(trial, ends)) {
      trial.remove(next);
      ended.add(next);
    }
    if (trial.fits()) {
      Instant last = ends.lastEnd();
      return found(trial, ended, Optional.of(last == null || last.isBefore(now) ? now : last));
    }
    for (Iterator<LiveAttempt> unknown = ends.unknown(); unknown.hasNext(); ) {
      LiveAttempt next = unknown.next();
      trial.remove(next);
      ended.add(next);
      if (trial.fits()) {
        return found(trial, ended, Optional.empty());
      }
    }
    return new NoPlace(ends.someAreEndless());
  }

  /// The place of a job in a pool, on free capacity and that of attempts that stop.
  public static Optional<Assignment> soon(Route route) {
    RemovalTrial trial = new RemovalTrial(route);
    return trial.fits() ? Optional.of(trial.place()) : Optional.empty();
  }

  private static @Nullable LiveAttempt first(RemovalTrial trial, ExpectedEnds ends) {
    return trial.fits() ? null : ends.next();
  }

  private static Found found(
      RemovalTrial trial, List<LiveAttempt> ended, Optional<Instant> expectedStart) {
    Assignment place = trial.place();
    return new Found(place, onNodesOf(place, ended), expectedStart);
  }

  private static List<AttemptId> onNodesOf(Assignment place, List<LiveAttempt> ended) {
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
