package io.headgate.scheduler.core.preemption;

import io.headgate.scheduler.core.job.JobId;
import io.headgate.scheduler.core.job.RunTimes;
import io.headgate.scheduler.core.placement.NodeState;
import io.headgate.scheduler.core.placement.Stake;
import io.headgate.scheduler.core.queue.Ends;
import io.headgate.scheduler.core.queue.Ends.Certainty;
import io.headgate.scheduler.core.queue.LiveAttempt;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// The attempts of a pool in the order in which they are expected to end, read as far as it is
/// asked for.
///
/// Attempts of a queue that have run for about as long are expected to run for as long in all, so
/// they end in the order of their starts. The order merges such sequences.
public final class ExpectedEnds {
  /// Attempts in the order of their ends.
  private static final class Sequence {
    static final Comparator<Sequence> ORDER =
        Comparator.comparing((Sequence it) -> it.end)
            .thenComparing(it -> it.first.nodes().getFirst())
            .thenComparingLong(it -> it.first.sequence());

    private final Iterator<LiveAttempt> attempts;
    private final Ends ends;
    private LiveAttempt first;
    private Instant end;

    Sequence(Outlook.Run run, Ends ends) {
      this.attempts = run.attempts().iterator();
      this.ends = ends;
      this.first = attempts.next();
      this.end = run.firstEnd();
    }

    boolean advance() {
      if (!attempts.hasNext()) {
        return false;
      }
      first = attempts.next();
      end = ends.of(first).at().orElseThrow();
      return true;
    }
  }

  /// The expectations of one pool at one time. They hold until an attempt comes or goes, so that
  /// the searches of a pass share them.
  static final class Outlook {
    /// Attempts in the order of their ends.
    private record Run(Collection<LiveAttempt> attempts, Instant firstEnd) {}

    private final AttemptEnds.InPool attempts;
    private final Ends ends;
    private final List<Run> runs = new ArrayList<>();

    Outlook(AttemptEnds.InPool attempts, Ends ends) {
      this.attempts = attempts;
      this.ends = ends;
      if (!attempts.declared.isEmpty()) {
        addRun(attempts.declared);
      }
      attempts.undeclared.forEach((queue, ofQueue) -> {
        if (queue.runTimes().areSome()) {
          add(ofQueue);
        }
      });
    }

    private void addRun(Collection<LiveAttempt> attempts) {
      LiveAttempt first = attempts.iterator().next();
      runs.add(new Run(attempts, ends.of(first).at().orElseThrow()));
    }

    /// Beginning with the youngest: where its end is not known, neither are those of the older ones.
    private void add(UndeclaredEnds ofQueue) {
      Map.Entry<UndeclaredEnds.Start, LiveAttempt> next = ofQueue.byStart().lastEntry();
      while (next != null && ends.of(next.getValue()).at().isPresent()) {
        UndeclaredEnds.Start older = olderThan(next.getValue());
        addRun(ofQueue.byStart().tailMap(older, false).headMap(next.getKey(), true).values());
        next = ofQueue.byStart().lowerEntry(older);
      }
    }

    /// The border to the attempts that have run for so long that another run time is expected of
    /// them, or that are too old to be expected to end.
    private UndeclaredEnds.Start olderThan(LiveAttempt youngest) {
      Instant step = ends.now().minus(RunTimes.stepAfter(ends.elapsed(youngest)));
      boolean ages = !youngest.job().queue().runTimes().areEnough();
      Instant old = ends.now().minus(ends.holdAfter());
      return UndeclaredEnds.Start.after(ages && old.isAfter(step) ? old : step);
    }
  }

  /// The attempts whose ends are unknown, node by node. Computed as it is read: mostly the first
  /// node is enough.
  private final class Unknown implements Iterator<LiveAttempt> {
    private final Iterator<NodeState> nodes = outlook.attempts.nodes.fewestFirst();
    private final Deque<LiveAttempt> onNode = new ArrayDeque<>();
    private final Set<LiveAttempt> gangs = new HashSet<>();

    @Override
    public boolean hasNext() {
      while (onNode.isEmpty() && nodes.hasNext()) {
        add(nodes.next());
      }
      return !onNode.isEmpty();
    }

    @Override
    public LiveAttempt next() {
      if (!hasNext()) {
        throw new NoSuchElementException();
      }
      return onNode.remove();
    }

    private void add(NodeState node) {
      TreeMap<Long, LiveAttempt> here = new TreeMap<>();
      for (NodeState.Share share : node.shares()) {
        LiveAttempt attempt = share.stake() == Stake.LIVE ? attemptOf.apply(share.job()) : null;
        if (attempt != null
            && attempt.stop() == null
            && outlook.ends.of(attempt).certainty() == Certainty.UNKNOWN
            && (attempt.workers() == 1 || gangs.add(attempt))) {
          here.put(attempt.sequence(), attempt);
        }
      }
      onNode.addAll(here.values());
    }
  }

  private final Outlook outlook;
  private final Function<JobId, @Nullable LiveAttempt> attemptOf;
  private final PriorityQueue<Sequence> sequences = new PriorityQueue<>(Sequence.ORDER);
  private @Nullable Instant last;

  /// @param attemptOf finds a job's attempt; null: it has none
  ExpectedEnds(Outlook outlook, Function<JobId, @Nullable LiveAttempt> attemptOf) {
    this.outlook = outlook;
    this.attemptOf = attemptOf;
    for (Outlook.Run run : outlook.runs) {
      sequences.add(new Sequence(run, outlook.ends));
    }
  }

  /// The next attempt to end of which it is known when; null: there is none.
  @Nullable LiveAttempt next() {
    Sequence sequence = sequences.poll();
    if (sequence == null) {
      return null;
    }
    LiveAttempt next = sequence.first;
    last = last == null || sequence.end.isAfter(last) ? sequence.end : last;
    if (sequence.advance()) {
      sequences.add(sequence);
    }
    return next;
  }

  /// When the last of those that were read ends; null: none was.
  @Nullable Instant lastEnd() {
    return last;
  }

  /// The attempts whose ends are unknown, beginning with the node that has the fewest attempts
  /// without a declared run time.
  Iterator<LiveAttempt> unknown() {
    return new Unknown();
  }

  /// Whether some will probably never end.
  boolean someAreEndless() {
    for (UndeclaredEnds ofQueue : outlook.attempts.undeclared.values()) {
      // No attempt is endless where the oldest is not.
      if (outlook.ends.of(ofQueue.byStart().firstEntry().getValue()).isEndless()) {
        return true;
      }
    }
    return false;
  }
}
