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
  /// Rule O7: a job that comes before it holds headroom in one of its limits.
  HEADROOM,
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
  NONE;

  /// Whether it is a limit in whose scope a job may hold headroom (O7).
  public boolean isLimit() {
    return switch (this) {
      case LIMIT, USER_LIMIT, DEPARTMENT_LIMIT, OVER_RESERVATION, NON_PREEMPTIBLE -> true;
      case NEVER_FITS,
          CLOSED,
          TENANT_NON_PREEMPTIBLE,
          HEADROOM,
          TENANT_LIMIT,
          POOL_CAPACITY,
          HOLD,
          CAPACITY,
          FRAGMENTATION,
          PROVIDER,
          NONE ->
          false;
    };
  }
}
