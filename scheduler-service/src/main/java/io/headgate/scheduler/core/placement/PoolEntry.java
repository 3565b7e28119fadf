package io.headgate.scheduler.core.placement;

import org.jspecify.annotations.Nullable;

/// The node as its pool counted it last. The pool applies a change as the difference to this.
final class PoolEntry {
  final NodeState node;
  @Nullable StateGroup group;
  boolean ready;
  boolean stopping;
  boolean held;
  boolean awaited;
  long offeredUnits;
  long idleUnits;
  PoolTally tally = PoolTally.NOTHING;

  PoolEntry(NodeState node) {
    this.node = node;
  }
}
