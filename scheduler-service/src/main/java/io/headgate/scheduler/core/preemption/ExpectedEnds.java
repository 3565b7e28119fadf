package io.headgate.scheduler.core.preemption;

import io.headgate.scheduler.core.job.RunTimes;
import io.headgate.scheduler.core.placement.NodeState;
import io.headgate.scheduler.core.queue.Ends;
import io.headgate.scheduler.core.queue.Ends.Certainty;
import io.headgate.scheduler.core.queue.LiveAttempt;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.TreeMap;
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

    private final Ends ends;
    private final List<Run> runs = new ArrayList<>();
    private final Set<LiveAttempt> unknown = new LinkedHashSet<>();
    private @Nullable Set<LiveAttempt> unknownByNode;
    private boolean someEndless;

    Outlook(AttemptEnds.InPool attempts, Ends ends) {
      this.ends = ends;
      if (!attempts.declared.isEmpty()) {
        addRun(attempts.declared);
      }
      attempts.undeclared.values().forEach(this::add);
    }

    private void addRun(Collection<LiveAttempt> attempts) {
      LiveAttempt first = attempts.iterator().next();
      runs.add(new Run(attempts, ends.of(first).at().orElseThrow()));
    }

    /// Beginning with the youngest: the older ones of an endless attempt are endless.
    private void add(UndeclaredEnds ofQueue) {
      Map.Entry<UndeclaredEnds.Start, LiveAttempt> next = ofQueue.byStart().lastEntry();
      while (next != null) {
        LiveAttempt youngest = next.getValue();
        Certainty certainty = ends.of(youngest).certainty();
        if (certainty == Certainty.ENDLESS) {
          someEndless = true;
          return;
        }
        if (certainty == Certainty.UNKNOWN) {
          unknown.add(youngest);
          next = ofQueue.byStart().lowerEntry(next.getKey());
          continue;
        }
        UndeclaredEnds.Start older = olderThan(youngest);
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

    /// The attempts whose ends are unknown, beginning with the node that has the fewest of them.
    private Set<LiveAttempt> unknownByNode() {
      if (unknownByNode == null) {
        unknownByNode = byNode(unknown);
      }
      return unknownByNode;
    }
  }

  private final Outlook outlook;
  private final PriorityQueue<Sequence> sequences = new PriorityQueue<>(Sequence.ORDER);
  private @Nullable Instant last;

  ExpectedEnds(Outlook outlook) {
    this.outlook = outlook;
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

  /// The attempts whose ends are unknown, beginning with the node that has the fewest of them.
  Set<LiveAttempt> unknown() {
    return outlook.unknownByNode();
  }

  private static Set<LiveAttempt> byNode(Set<LiveAttempt> unknown) {
    Map<NodeState, List<LiveAttempt>> byNode = new HashMap<>();
    for (LiveAttempt attempt : unknown) {
      for (NodeState node : new LinkedHashSet<>(attempt.nodes())) {
        byNode.computeIfAbsent(node, key -> new ArrayList<>()).add(attempt);
      }
    }
    List<NodeState> nodes = new ArrayList<>(byNode.keySet());
    nodes.sort(
        Comparator.comparingInt((NodeState node) -> byNode.getOrDefault(node, List.of()).size())
            .thenComparing(Comparator.naturalOrder()));
    Set<LiveAttempt> ordered = new LinkedHashSet<>();
    for (NodeState node : nodes) {
      TreeMap<Long, LiveAttempt> here = new TreeMap<>();
      byNode.getOrDefault(node, List.of()).forEach(each -> here.put(each.sequence(), each));
      ordered.addAll(here.values());
    }
    return ordered;
  }

  /// Whether some will probably never end.
  boolean someAreEndless() {
    return outlook.someEndless;
  }
}
