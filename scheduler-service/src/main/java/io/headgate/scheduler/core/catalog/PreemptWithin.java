package io.headgate.scheduler.core.catalog;

/// Whether a job may preempt jobs of its own policy (P9).
public enum PreemptWithin {
  NEVER,
  /// Jobs of strictly lower job priority.
  LOWER_PRIORITY
}
