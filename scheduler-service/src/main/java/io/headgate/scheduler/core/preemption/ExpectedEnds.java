package io.headgate.scheduler.core.preemption;

import io.headgate.scheduler.core.placement.NodeState;
import io.headgate.scheduler.core.queue.Ends;
import io.headgate.scheduler.core.queue.Ends.Certainty;
import io.headgate.scheduler.core.queue.LiveAttempt;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import java.util.PriorityQueue;

/// The ends of the attempts in a pool that a blocked job expects, as seen at one time.
public final class ExpectedEnds {
  private final AttemptEnds.InPool attempts;
  private final Ends ends;
  private final long observed;

  /// @param observed counts the run times that were observed
  ExpectedEnds(AttemptEnds.InPool attempts, Ends ends, long observed) {
    this.attempts = attempts;
    this.ends = ends;
    this.observed = observed;
  }

  /// The nodes with attempts.
  Collection<NodeEnds> nodes() {
    return attempts.byNode.values();
  }

  /// The attempts of a node whose ends are known, the first to end first.
  List<NodeEnds.Expected> known(NodeEnds node) {
    List<NodeEnds.Expected> expected = node.expected(ends.now(), observed);
    return node.someAge()
        ? expected.stream().filter(each -> each.isExpectedBy(ends)).toList()
        : expected;
  }

  /// The attempts of a node whose ends are unknown, in the order of their starts.
  List<LiveAttempt> unknown(NodeEnds node) {
    return node.of(Certainty.UNKNOWN, ends);
  }

  /// The nodes with attempts that declare no run time, those with the fewest of them first.
  Iterator<NodeEnds> fewestUndeclaredFirst() {
    Iterator<NodeState> nodes = attempts.undeclared.fewestFirst();
    return new Iterator<>() {
      @Override
      public boolean hasNext() {
        return nodes.hasNext();
      }

      @Override
      public NodeEnds next() {
        NodeState node = nodes.next();
        return attempts.byNode.getOrDefault(node, new NodeEnds(node));
      }
    };
  }

  /// All attempts whose ends are known, in the order of their ends; read as far as it is asked for.
  /// A gang comes once for each of its nodes.
  Iterator<NodeEnds.Expected> inOrder() {
    return new InOrder();
  }

  /// Merges the orders of all nodes.
  private final class InOrder implements Iterator<NodeEnds.Expected> {
    private final PriorityQueue<Line> lines = new PriorityQueue<>();

    private static final class Line implements Comparable<Line> {
      private final List<NodeEnds.Expected> known;
      private int next;

      Line(List<NodeEnds.Expected> known) {
        this.known = known;
      }

      @Override
      public int compareTo(Line other) {
        return known.get(next).compareTo(other.known.get(other.next));
      }
    }

    InOrder() {
      List<Line> all = new ArrayList<>();
      for (NodeEnds node : nodes()) {
        List<NodeEnds.Expected> known = known(node);
        if (!known.isEmpty()) {
          all.add(new Line(known));
        }
      }
      lines.addAll(all);
    }

    @Override
    public boolean hasNext() {
      return !lines.isEmpty();
    }

    @Override
    public NodeEnds.Expected next() {
      Line line = lines.remove();
      NodeEnds.Expected next = line.known.get(line.next);
      line.next++;
      if (line.next < line.known.size()) {
        lines.add(line);
      }
      return next;
    }
  }

  /// Whether some will probably never end.
  boolean someAreEndless() {
    for (NodeEnds node : nodes()) {
      if (!node.of(Certainty.ENDLESS, ends).isEmpty()) {
        return true;
      }
    }
    return false;
  }
}
