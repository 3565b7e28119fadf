package io.headgate.scheduler.core.placement;

import org.jspecify.annotations.Nullable;

/// What a pool last knew of one of its nodes; so that a change can be told by its difference.
final class PoolEntry {
  @Nullable PoolState pool;
  @Nullable StateGroup group;
  boolean ready;
  boolean stopping;
  boolean held;
  boolean awaited;
  boolean openEndedChanged;
  int openEnded;
  long offeredUnits;
  long idleUnits;
}
