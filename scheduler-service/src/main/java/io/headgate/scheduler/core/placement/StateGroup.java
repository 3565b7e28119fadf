package io.headgate.scheduler.core.placement;

import java.util.SortedSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/// The nodes of a pool that are in one state, by id. When the last one leaves, the group is dead
/// for good.
final class StateGroup {
  private final FreeState state;
  private final TreeSet<NodeState> nodes = new TreeSet<>();

  StateGroup(FreeState state) {
    this.state = state;
  }

  FreeState state() {
    return state;
  }

  static @Nullable FreeState stateOf(@Nullable StateGroup group) {
    return group == null ? null : group.state();
  }

  SortedSet<NodeState> nodes() {
    return nodes;
  }

  boolean isDead() {
    return nodes.isEmpty();
  }
}
