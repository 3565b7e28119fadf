package io.headgate.scheduler.core.node;

/// Whether a node takes new work. In every status what runs there goes on and keeps its slices.
public enum NodeStatus {
  /// Takes work.
  READY,
  /// Takes no new work, by an operator's word or its own: it is being shut down.
  DRAINING,
  /// Takes no new work because it was not heard of; also a node that has not yet reported to a new
  /// leader.
  SUSPECT
}
