package io.headgate.scheduler.core.placement;

/// How a job has its share of a node.
public enum Stake {
  /// Its attempt runs there, or is about to.
  LIVE,
  /// Its attempt was asked to stop.
  STOPPING,
  /// What its attempt keeps of main memory and processors while it is suspended, or while it is
  /// tried to suspend it.
  KEPT,
  /// It waits, and the share is kept for it.
  HELD
}
