package io.headgate.scheduler.core.explain;

import io.headgate.scheduler.core.job.Attempt;
import io.headgate.scheduler.core.job.Hold;
import io.headgate.scheduler.core.job.Job;
import io.headgate.scheduler.core.job.JobId;
import java.util.List;
import java.util.Optional;

/// Everything that the core can say about one job.
///
/// @param reason why it waits; absent unless it waits
/// @param position its place in its queue; absent unless it waits
/// @param starts the A rules in order, up to the first that forbids a start
/// @param preempts why it does not preempt; empty when it could start or does not wait
/// @param ahead jobs of its queue that go first, nearest last, at most [#MAX_NEIGHBOURS]
/// @param behind jobs of its queue that follow for an equal reason, at most [#MAX_NEIGHBOURS]
/// @param hold slices kept for it
/// @param attempt where it runs
/// @param exposure for a running job: the rules by which it may become a victim; empty otherwise
public record Explanation(
    Job job,
    Optional<Reason> reason,
    Optional<Position> position,
    List<Check> starts,
    List<Check> preempts,
    List<JobId> ahead,
    List<JobId> behind,
    Optional<Hold> hold,
    Optional<Attempt> attempt,
    List<Check> exposure) {
  /// How many neighbours are named.
  public static final int MAX_NEIGHBOURS = 10;

  public Explanation {
    starts = List.copyOf(starts);
    preempts = List.copyOf(preempts);
    ahead = List.copyOf(ahead);
    behind = List.copyOf(behind);
    exposure = List.copyOf(exposure);
  }

  /// A place in a queue.
  ///
  /// @param number from 1
  /// @param of how many wait in the queue
  public record Position(int number, int of) {}
}
