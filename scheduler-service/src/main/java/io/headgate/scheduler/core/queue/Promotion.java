package io.headgate.scheduler.core.queue;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/// Promotes the waiting jobs of queues as time passes (O7).
public final class Promotion {
  private Promotion() {}

  /// Promotes the queue's jobs that have waited for long enough by now.
  public static void promote(QueueState queue, Instant now) {
    queue.promoter().setNow(now);
    for (Lane lane : queue.lanes()) {
      lane.promotions().forEach(each -> each.promote(now));
    }
  }

  /// The job that this one waits with in its lane: the first of those that have been promoted like
  /// it after the longest wait, or else the first of all.
  public static LiveJob headOf(LiveJob job) {
    Lane lane = job.queue().lane(job);
    Promotions<LiveJob> longest = null;
    for (Promotions<LiveJob> each : lane.promotions()) {
      if (each.isPromoted(job)
          && (longest == null || each.after().compareTo(longest.after()) > 0)) {
        longest = each;
      }
    }
    LiveJob head = longest == null ? null : longest.first();
    return head == null ? lane.line().first() : head;
  }

  /// When the next waiting job of the queue is promoted; empty: none is left.
  public static Optional<Instant> next(QueueState queue) {
    Optional<Instant> next = Optional.empty();
    for (Lane lane : queue.lanes()) {
      for (Promotions<LiveJob> each : lane.promotions()) {
        next = earlier(next, each.next());
      }
    }
    Instant now = queue.promoter().now();
    for (LiveJob holder : queue.holders()) {
      for (Duration after : queue.promoter().times()) {
        Instant due = holder.waitingSince().plus(after);
        next = earlier(next, Optional.of(due).filter(now::isBefore));
      }
    }
    return next;
  }

  private static Optional<Instant> earlier(Optional<Instant> one, Optional<Instant> other) {
    return one.isEmpty() || (other.isPresent() && other.get().isBefore(one.get())) ? other : one;
  }
}
