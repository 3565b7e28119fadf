package io.headgate.scheduler.core.placement;

import java.util.Comparator;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/// The states of a pool's nodes in the order in which a shape wants them.
///
/// It catches up with the pool when it is asked, not when a node changes: it ranks the groups born
/// since it was asked last, and drops dead ones when they come to its top. So a pool may have many
/// rankings, and only those in use cost anything. What it answers depends on the states alone, not
/// on what was asked before.
public final class Ranking {
  private record Ranked(long cost, StateGroup group) {}

  private static final Comparator<Ranked> ORDER =
      Comparator.comparingLong(Ranked::cost).thenComparing(ranked -> ranked.group().state());

  private final Shape shape;
  private final PoolState pool;
  private final PriorityQueue<Ranked> ranked = new PriorityQueue<>(ORDER);
  private int read;
  private int era;

  /// Workers that fit in the whole pool; kept for gangs only, which must know it all the time.
  private long workers;

  private boolean fitted;

  Ranking(Shape shape, PoolState pool) {
    this.shape = shape;
    this.pool = pool;
    this.era = pool.era;
    if (shape.isGang()) {
      for (StateGroup group : pool.groups()) {
        workers += (long) group.nodes().size() * group.state().workers(shape);
      }
    }
  }

  public Shape shape() {
    return shape;
  }

  /// Workers that fit in the whole pool now. Of a job of one worker it says only whether it fits.
  public long workers() {
    if (shape.isGang()) {
      return workers;
    }
    // While the top lives nothing has to be ranked to know that something fits.
    Ranked top = ranked.peek();
    boolean knownToFit = era == pool.era && top != null && !top.group().isDead();
    return knownToFit || best() != null ? 1 : 0;
  }

  /// Whether a job of the shape fits now, the pool's ceiling included.
  public boolean fits() {
    return pool.hasRoom(shape.needUnits()) && workers() >= shape.workers();
  }

  /// Takes note of whether it fits, for [#hasFilled].
  public void note() {
    fitted = fits();
  }

  /// Whether it fitted when it was noted last and no longer does; takes note of it.
  public boolean hasFilled() {
    if (!fitted || fits()) {
      return false;
    }
    fitted = false;
    return true;
  }

  /// The first node, by id, of the best state. Only when it fits.
  NodeState bestNode() {
    StateGroup best = best();
    if (best == null) {
      throw new IllegalStateException(shape + " does not fit in " + pool.id());
    }
    return best.nodes().first();
  }

  private @Nullable StateGroup best() {
    catchUp();
    Ranked top = ranked.peek();
    while (top != null && top.group().isDead()) {
      ranked.poll();
      top = ranked.peek();
    }
    return top == null ? null : top.group();
  }

  private void catchUp() {
    if (era != pool.era) {
      era = pool.era;
      ranked.clear();
      read = 0;
    }
    for (; read < pool.births.size(); read++) {
      StateGroup group = pool.births.get(read);
      if (!group.isDead() && group.state().workers(shape) > 0) {
        ranked.add(new Ranked(BestFit.cost(shape, group.state()), group));
      }
    }
  }

  /// A node went from one state to another; null: it took or takes no work.
  void moved(@Nullable StateGroup from, @Nullable StateGroup to) {
    if (shape.isGang()) {
      workers -= from == null ? 0 : from.state().workers(shape);
      workers += to == null ? 0 : to.state().workers(shape);
    }
  }
}
