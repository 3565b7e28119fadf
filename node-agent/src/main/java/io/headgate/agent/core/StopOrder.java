package io.headgate.agent.core;

/// That an attempt is to be stopped.
public record StopOrder(Kind kind, boolean skipCallback) {
  /// Why.
  public enum Kind {
    /// Another job needs the place.
    PREEMPT,
    /// A user asked for it.
    CANCEL,
    /// The scheduler does not know it.
    ORPHAN,
    /// This machine's agent is closed down in order.
    SHUTDOWN,
    /// It has more than its slices.
    OVER_LIMIT,
    /// A device that it has slices of failed.
    DEVICE_FAILED
  }
}
