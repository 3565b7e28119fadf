package io.headgate.scheduler.core.queue;

/// The obstacle that keeps a job from starting, without its numbers. The order is that of
/// precedence (DESIGN 4, reasons).
public enum Block {
  NEVER_FITS,
  /// DESIGN A1.
  CLOSED,
  /// DESIGN A2.
  LIMIT,
  /// DESIGN A4.
  USER_LIMIT,
  /// DESIGN A5.
  OVER_RESERVATION,
  /// DESIGN A8.
  NON_PREEMPTIBLE,
  /// DESIGN A3 and A8.
  TENANT_NON_PREEMPTIBLE,
  /// DESIGN A3.
  TENANT_LIMIT,
  /// DESIGN A7.
  POOL_CAPACITY,
  /// DESIGN A6: it would fit if nothing were held for others.
  HOLD,
  /// DESIGN A6: less is idle than it needs.
  CAPACITY,
  /// DESIGN A6: enough is idle, but not together.
  FRAGMENTATION,
  /// An elastic pool was asked for room.
  PROVIDER,
  /// Nothing.
  NONE
}
