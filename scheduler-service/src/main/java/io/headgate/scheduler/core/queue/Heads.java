package io.headgate.scheduler.core.queue;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/// The heads of a queue's lanes: one of them is the queue's candidate.
///
/// A lane's head is its first job (O5). Where a pool promotes jobs (O7), the first of the lane's
/// promoted jobs is another head. It comes before jobs that are not promoted. In a policy whose
/// jobs preempt each other it does not come before one of higher priority (P9).
final class Heads {
  /// A possible candidate.
  ///
  /// @param gate in its way; a job may make room in a limit
  record Head(LiveJob job, Block gate) {}

  private final QueueState queue;

  /// Where jobs are promoted, the candidates that had their turn since the first one.
  private final List<LiveJob> tried = new ArrayList<>(0);

  private HeadOptions options = new HeadOptions(true, false);

  Heads(QueueState queue) {
    this.queue = queue;
  }

  /// The options that the last candidate was chosen by.
  HeadOptions options() {
    return options;
  }

  /// The first head with one of the options.
  ///
  /// @param behind it comes after this one, which had its turn; null: it may be any
  /// @param promotes whether promotion counts
  @Nullable Head first(@Nullable LiveJob behind, HeadOptions newOptions, boolean promotes) {
    options = newOptions;
    if (!promotes) {
      return first(behind);
    }
    if (behind == null) {
      tried.clear();
    } else {
      tried.add(behind);
    }
    return first(this::isPromoted);
  }

  private @Nullable Head first(@Nullable LiveJob behind) {
    Head first = null;
    for (Lane lane : queue.lanes()) {
      LiveJob job = lane.line().first();
      if ((first == null || LiveJob.ORDER.compare(job, first.job()) < 0)
          && (behind == null || LiveJob.ORDER.compare(job, behind) > 0)) {
        Block gate = lane.gate();
        if (options.areIn(gate, () -> lane.mayMakeRoomInLimits(job))) {
          first = new Head(job, gate);
        }
      }
    }
    return first;
  }

  /// Whether the job is promoted in the pool that it takes. If it fits nowhere, any of its pools
  /// counts.
  private boolean isPromoted(LiveJob job) {
    Route taken = queue.prospect(job);
    return taken == null ? job.isPromotedSomewhere() : job.isPromoted(taken);
  }

  /// The head that comes first on the route, of those that have not had their turn.
  @Nullable Head firstOn(Route route) {
    return first(job -> job.isPromoted(route));
  }

  private @Nullable Head first(Predicate<LiveJob> isPromoted) {
    Head first = null;
    boolean isFirstPromoted = false;
    for (Lane lane : queue.lanes()) {
      for (LiveJob job : lane.heads()) {
        Block gate = lane.gate(job);
        boolean promoted = isPromoted.test(job);
        if (options.areIn(gate, () -> lane.mayMakeRoomInLimits(job))
            && !tried.contains(job)
            && (first == null || isAhead(job, promoted, first.job(), isFirstPromoted))) {
          first = new Head(job, gate);
          isFirstPromoted = promoted;
        }
      }
    }
    return first;
  }

  /// Whether one job of the queue is ahead of another one in a pool.
  boolean isAhead(LiveJob job, boolean isPromoted, LiveJob other, boolean isOtherPromoted) {
    boolean mayPassPriority =
        job.priority() == other.priority() || !queue.account().preemptsWithin();
    boolean promotionDecides = mayPassPriority && isPromoted != isOtherPromoted;
    return promotionDecides ? isPromoted : LiveJob.ORDER.compare(job, other) < 0;
  }
}
