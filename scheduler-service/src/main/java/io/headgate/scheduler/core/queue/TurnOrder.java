package io.headgate.scheduler.core.queue;

import io.headgate.scheduler.core.placement.PoolState;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/// The candidates of a pass, the next one first: a heap of groups, each a heap of its queues.
///
/// When the policy of a candidate takes more, the candidate's turn comes later than its place in
/// the heap says. The method [#next] corrects an outdated place when the candidate reaches the top,
/// because most candidates never reach it.
public final class TurnOrder {
  /// The candidates of the queues with the same routes.
  private static final class GroupTurns extends IndexedHeap.Member<GroupTurns> {
    private final IndexedHeap<Turn> turns = new IndexedHeap<>();

    /// Whether some have a later place than the group gives them.
    private boolean someMoved;

    @Override
    boolean isBefore(GroupTurns other) {
      Turn mine = turns.peek();
      Turn others = other.turns.peek();
      return mine != null && others != null && mine.isBefore(others);
    }
  }

  private final IndexedHeap<GroupTurns> groups = new IndexedHeap<>();

  /// Looked up in only, so its order does not matter.
  private final Map<RouteGroup, GroupTurns> turnsOf = new HashMap<>();

  /// Finds the candidate of each queue of a group, and the group's first route.
  public void add(RouteGroup routes, List<QueueState> queues) {
    routes.findFirstRoutes();
    List<Turn> found = new ArrayList<>(queues.size());
    for (QueueState queue : queues) {
      if (!queue.lanes().isEmpty() && queue.turn().choose()) {
        found.add(queue.turn());
      }
    }
    GroupTurns group = turnsOf(routes);
    group.turns.fill(found);
    if (!group.turns.isEmpty()) {
      groups.put(group);
    }
  }

  private GroupTurns turnsOf(RouteGroup routes) {
    return turnsOf.computeIfAbsent(routes, key -> new GroupTurns());
  }

  /// Takes the candidate in.
  public void put(Turn turn) {
    GroupTurns group = turnsOf(turn.queue().group());
    Turn first = group.turns.peek();
    group.turns.put(turn);
    group.someMoved |= turn.hasMoved();
    if (first == turn || group.turns.peek() != first) {
      groups.put(group);
    }
  }

  public void remove(Turn turn) {
    if (turn.isQueued()) {
      GroupTurns group = turnsOf(turn.queue().group());
      boolean first = group.turns.peek() == turn;
      group.turns.remove(turn);
      if (group.turns.isEmpty()) {
        groups.remove(group);
      } else if (first) {
        groups.put(group);
      }
    }
  }

  /// Keeps only those candidates of the group that meet the condition.
  ///
  /// @param condition may choose the candidate of a queue anew
  public void retain(RouteGroup routes, Predicate<Turn> condition) {
    GroupTurns group = turnsOf(routes);
    group.turns.retain(condition);
    if (group.turns.isEmpty()) {
      groups.remove(group);
    } else {
      groups.put(group);
    }
  }

  /// Takes the next one out; null: there is none.
  public @Nullable Turn next() {
    Turn first = first();
    while (first != null && !first.isFresh()) {
      refresh(first);
      first = first();
    }
    if (first != null) {
      remove(first);
    }
    return first;
  }

  /// Finds the queue's candidate anew and puts it in its place.
  public void refresh(Turn turn) {
    if (turn.choose()) {
      put(turn);
    } else {
      remove(turn);
    }
  }

  private @Nullable Turn first() {
    GroupTurns group = groups.peek();
    return group == null ? null : group.turns.peek();
  }

  /// Capacity of the pool was taken: groups that no longer fit there turn to their next pool.
  ///
  /// @param using the groups that have a route there
  /// @param isHeld whether long-blocked jobs hold in a pool (O7), so that others may fit there when
  ///   their turn comes before
  /// @return whether a group may be ahead of its place from the time when nothing was held. A group
  ///   that fits nowhere has the place of the pool where that is best
  public boolean taken(PoolState pool, List<RouteGroup> using, Predicate<PoolState> isHeld) {
    boolean someCameForward = false;
    for (RouteGroup group : using) {
      if (group.isOrderedByPool() && group.isFirstFull(pool)) {
        moveOn(group, pool);
        someCameForward = true;
        continue;
      }
      int before = group.position();
      someCameForward = someCameForward || (isHeld.test(pool) && group.isBetterThanIn(pool));
      if (group.advanceIfFull(pool)) {
        someCameForward =
            someCameForward || group.position() < before || group.isBetterIn(isHeld, before);
        GroupTurns turns = turnsOf(group);
        if (turns.someMoved) {
          turns.turns.retain(any -> true);
        }
        if (turns.isQueued()) {
          groups.put(turns);
        }
      }
    }
    return someCameForward;
  }

  /// In its next pool its tenant may stand otherwise (A3), past use may differ (O4), and other jobs
  /// may be promoted (O7), which changes the order of its queues.
  private void moveOn(RouteGroup routes, PoolState pool) {
    GroupTurns group = turnsOf(routes);
    List<Turn> turns = new ArrayList<>();
    for (Turn turn = group.turns.peek(); turn != null; turn = group.turns.peek()) {
      remove(turn);
      turns.add(turn);
    }
    routes.advanceIfFull(pool);
    turns.forEach(this::refresh);
  }
}
