package io.headgate.scheduler.core.placement;

import org.jspecify.annotations.Nullable;

/// The node as its pool counted it last. The pool applies a change as the difference to this.
final class PoolEntry {
  final NodeState node;
  @Nullable StateGroup group;
  boolean stopping;
  boolean held;
  boolean awaited;
  PoolTally tally = PoolTally.NOTHING;

  PoolEntry(NodeState node) {
    this.node = node;
  }
}
