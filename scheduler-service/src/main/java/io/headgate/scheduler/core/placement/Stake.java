package io.headgate.scheduler.core.placement;

/// How a job has its share of a node.
public enum Stake {
  /// Its attempt runs there, or is about to.
  LIVE,
  /// Its attempt was asked to stop.
  STOPPING,
  /// Main memory and processors that its attempt keeps while it is suspended or being suspended.
  KEPT,
  /// It waits, and the share is kept for it.
  HELD
}
