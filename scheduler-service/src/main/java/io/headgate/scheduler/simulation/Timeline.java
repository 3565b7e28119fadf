package io.headgate.scheduler.simulation;

import io.headgate.scheduler.core.job.AttemptId;
import io.headgate.scheduler.core.node.NodeId;
import java.util.Comparator;
import java.util.OptionalLong;
import java.util.PriorityQueue;

/// Future events that follow from earlier ones, in order of time. Events of one time keep the order
/// in which they were added.
final class Timeline {
  /// A future event, which may be outdated when its time comes.
  sealed interface Due {
    /// The attempt has done its work.
    record Done(AttemptId attempt) implements Due {}

    /// The attempt was assigned before 0s and runs now.
    record Begun(AttemptId attempt) implements Due {}

    /// The attempt has reached its maximum run time.
    record OutOfTime(AttemptId attempt) implements Due {}

    /// The attempt has obeyed the request to stop.
    record Stopped(AttemptId attempt) implements Due {}

    /// An instance of an elastic pool has started.
    record Joined(NodeId node) implements Due {}
  }

  private record Entry(long atMs, long order, Due due) {}

  private final PriorityQueue<Entry> entries =
      new PriorityQueue<>(Comparator.comparingLong(Entry::atMs).thenComparingLong(Entry::order));
  private long order;

  void add(long atMs, Due due) {
    entries.add(new Entry(atMs, order++, due));
  }

  OptionalLong next() {
    Entry first = entries.peek();
    return first == null ? OptionalLong.empty() : OptionalLong.of(first.atMs());
  }

  Due take() {
    return entries.remove().due();
  }
}
