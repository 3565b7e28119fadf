package io.headgate.scheduler.core.placement;

import io.headgate.scheduler.core.job.JobId;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/// The states of a pool's nodes in the order in which a shape wants them.
///
/// It catches up with the pool when it is asked, not when a node changes. It then ranks the groups
/// that are new since the last question, and drops dead ones when they come to its top. So a pool
/// may have many rankings, and only those in use cost anything. When the pool's prices change, it
/// keeps the ratings of states and orders them anew. Its answers depend on the states alone, not on
/// earlier questions.
public final class Ranking {
  private record Ranked(double cost, Rating rating, StateGroup group)
      implements Comparable<Ranked> {
    @Override
    public int compareTo(Ranked other) {
      int order = Double.compare(cost, other.cost);
      if (order == 0) {
        order = Long.compare(rating.tie(), other.rating.tie());
      }
      return order == 0 ? group.state().compareTo(other.group.state()) : order;
    }
  }

  private static final Comparator<StateGroup> FIRST_NODE =
      Comparator.comparing(group -> group.nodes().first());

  private final Shape shape;
  private final PoolState pool;
  private final PriorityQueue<Ranked> ranked = new PriorityQueue<>();
  private int read;
  private int era;
  private int edition;

  /// Workers that fit in the whole pool; kept for gangs only, which must know it all the time.
  private long workers;

  private Optional<JobId> holder = Optional.empty();
  private long holderFoundAt = -1;

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

  /// Workers that fit in the whole pool now. For a job of one worker: 1 if it fits, else 0.
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

  /// The job whose hold keeps a worker from fitting, if that is all that does.
  public Optional<JobId> holderInTheWay() {
    if (holderFoundAt != pool.version()) {
      holder =
          pool.isBelowCeilingWith(shape.needUnits())
              ? pool.lists().held().inTheWay(shape, pool.ranking(shape).workers())
              : Optional.empty();
      holderFoundAt = pool.version();
    }
    return holder;
  }

  /// The first node, by id, of the best state, or the one that the rater chooses of all equally
  /// good ones. Only when it fits.
  NodeState bestNode() {
    StateGroup best = best();
    if (best == null) {
      throw new IllegalStateException(shape + " does not fit in " + pool.id());
    }
    return pool.rater().spreadsTies() ? chosenOfEquals() : best.nodes().first();
  }

  private NodeState chosenOfEquals() {
    double cost = ranked.element().cost();
    List<StateGroup> equals = new ArrayList<>();
    int nodes = 0;
    for (Ranked one : ranked) {
      if (one.cost() == cost && !one.group().isDead()) {
        equals.add(one.group());
        nodes += one.group().nodes().size();
      }
    }
    int chosen = pool.rater().choose(nodes, pool.occupancy());
    return chosen == 0
        ? Collections.min(equals, FIRST_NODE).nodes().first()
        : equals.stream()
            .flatMap(group -> group.nodes().stream())
            .sorted()
            .skip(chosen)
            .findFirst()
            .orElseThrow();
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
    if (edition != pool.rater().edition()) {
      edition = pool.rater().edition();
      rankAnew();
    }
    for (; read < pool.births.size(); read++) {
      StateGroup group = pool.births.get(read);
      if (!group.isDead() && group.state().workers(shape) > 0) {
        rank(pool.rater().rate(shape, group.state()), group);
      }
    }
  }

  private void rank(Rating rating, StateGroup group) {
    ranked.add(new Ranked(rating.cost(), rating, group));
  }

  /// The prices have changed: the ratings stay, their costs do not.
  private void rankAnew() {
    List<Ranked> before = new ArrayList<>(ranked);
    ranked.clear();
    for (Ranked one : before) {
      if (!one.group().isDead()) {
        rank(one.rating(), one.group());
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
