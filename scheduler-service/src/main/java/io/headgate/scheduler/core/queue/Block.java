package io.headgate.scheduler.core.queue;

/// The obstacle that keeps a job from starting, without its numbers. The order is that of
/// precedence, with one exception: [#PROVIDER] replaces every block of the supply, from
/// [#TENANT_LIMIT] to [#FRAGMENTATION].
public enum Block {
  NEVER_FITS,
  /// Rule A1.
  CLOSED,
  /// Rule A2.
  LIMIT,
  /// Rule A4.
  USER_LIMIT,
  /// Rule A3: the limit of a department.
  DEPARTMENT_LIMIT,
  /// Rule A5.
  OVER_RESERVATION,
  /// Rule A8.
  NON_PREEMPTIBLE,
  /// Rule A3 and A8.
  TENANT_NON_PREEMPTIBLE,
  /// Rule A3.
  TENANT_LIMIT,
  /// Rule A7.
  POOL_CAPACITY,
  /// Rule A6: it would fit if nothing were held for others.
  HOLD,
  /// Rule A6: less is idle than it needs.
  CAPACITY,
  /// Rule A6: enough is idle, but not together.
  FRAGMENTATION,
  /// The supply blocks it, and an elastic pool was asked for room.
  PROVIDER,
  /// Nothing.
  NONE
}
