package io.headgate.scheduler.core.node;

/// Whether a node takes new work. In every status, running jobs continue and keep their slices.
public enum NodeStatus {
  /// Takes work.
  READY,
  /// Takes no new work, by an operator's word or its own: it is being shut down.
  DRAINING,
  /// Takes no new work because it was not heard of.
  SUSPECT,
  /// A new leader waits briefly for its report. Meanwhile nothing starts on it, and no job is
  /// preempted anywhere. Holds there stay, and a job that would start there first once it is
  /// [#READY] is not passed.
  AWAITED
}
