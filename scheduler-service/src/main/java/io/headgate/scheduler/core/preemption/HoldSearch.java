package io.headgate.scheduler.core.preemption;

import io.headgate.scheduler.core.job.Assignment;
import io.headgate.scheduler.core.job.AttemptId;
import io.headgate.scheduler.core.job.JobId;
import io.headgate.scheduler.core.job.WorkerPlace;
import io.headgate.scheduler.core.node.NodeId;
import io.headgate.scheduler.core.placement.NodeState;
import io.headgate.scheduler.core.placement.PoolState;
import io.headgate.scheduler.core.placement.Stake;
import io.headgate.scheduler.core.queue.LiveAttempt;
import io.headgate.scheduler.core.queue.Route;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// Finds where a blocked job will fit first if no other job takes the place (O7).
///
/// Attempts end when their declared run time is over. Attempts without one end after all others,
/// beginning with the node that has the fewest of them. The job fits where it fits at the first of
/// these ends.
///
/// A job of 2 GPUs; node a runs one of 2 until 12:00, node b two of 1 until 11:00 and 13:00: a, at
/// 12:00.
public final class HoldSearch {
  /// A place, and the attempts that must end before the job can start there.
  ///
  /// @param expectedStart absent when one of those has not said how long it runs
  public record Found(
      Assignment place, List<AttemptId> waitsFor, Optional<Instant> expectedStart) {}

  private HoldSearch() {}

  /// Looks for the place in one pool.
  ///
  /// @param attemptOf the attempt of a job; null: it has none
  /// @return empty when the job does not fit even when all have ended
  public static Optional<Found> search(
      Route route,
      AttemptEnds ends,
      Function<JobId, @Nullable LiveAttempt> attemptOf,
      Instant now) {
    RemovalTrial trial = new RemovalTrial(route);
    List<LiveAttempt> ended = new ArrayList<>();
    Iterator<LiveAttempt> order =
        new Order(trial.pool(), ends.in(trial.pool()).iterator(), attemptOf);
    while (!trial.fits() && order.hasNext()) {
      LiveAttempt next = order.next();
      trial.remove(next);
      ended.add(next);
    }
    if (!trial.fits()) {
      return Optional.empty();
    }
    Assignment place = trial.place();
    return Optional.of(new Found(place, onNodesOf(place, ended), expectedStart(ended, now)));
  }

  /// The attempts with a declared run time, by their ends; then the others, beginning with nodes
  /// that have the fewest of them. Computed as it is read: mostly a few are enough.
  private static final class Order implements Iterator<LiveAttempt> {
    private final PoolState pool;
    private final Iterator<LiveAttempt> known;
    private final Function<JobId, @Nullable LiveAttempt> attemptOf;
    private final Set<LiveAttempt> gangs = new HashSet<>();
    private @Nullable Iterator<NodeState> nodes;
    private final Deque<LiveAttempt> onNode = new ArrayDeque<>();

    Order(
        PoolState pool,
        Iterator<LiveAttempt> known,
        Function<JobId, @Nullable LiveAttempt> attemptOf) {
      this.pool = pool;
      this.known = known;
      this.attemptOf = attemptOf;
    }

    @Override
    public boolean hasNext() {
      if (known.hasNext()) {
        return true;
      }
      if (nodes == null) {
        nodes = pool.byOpenEnded();
      }
      while (onNode.isEmpty() && nodes.hasNext()) {
        addOpenEnded(nodes.next());
      }
      return !onNode.isEmpty();
    }

    @Override
    public LiveAttempt next() {
      if (!hasNext()) {
        throw new NoSuchElementException();
      }
      return known.hasNext() ? known.next() : onNode.remove();
    }

    private void addOpenEnded(NodeState node) {
      for (NodeState.Share share : node.shares()) {
        LiveAttempt attempt = share.stake() == Stake.LIVE ? attemptOf.apply(share.job()) : null;
        if (attempt != null
            && attempt.endsBy().isEmpty()
            && (attempt.workers() == 1 || gangs.add(attempt))) {
          onNode.add(attempt);
        }
      }
    }
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

  private static Optional<Instant> expectedStart(List<LiveAttempt> ended, Instant now) {
    Instant last = now;
    for (LiveAttempt attempt : ended) {
      if (attempt.endsBy().isEmpty()) {
        return Optional.empty();
      }
      Instant end = attempt.endsBy().get();
      last = end.isAfter(last) ? end : last;
    }
    return Optional.of(last);
  }
}
