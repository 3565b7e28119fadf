package io.headgate.kit.grpc;

/// Units that may be used, and that come back with time up to a bound (token bucket). Not
/// thread-safe.
final class Allowance {
  private static final double NANOS_PER_SECOND = 1e9;

  private final double most;
  private final double perSecond;
  private double left;
  private long sinceNanos;

  /// @param most units that can be left, at first all of them
  /// @param nowNanos monotonic time
  Allowance(double most, double perSecond, long nowNanos) {
    this.most = most;
    this.perSecond = perSecond;
    this.left = most;
    this.sinceNanos = nowNanos;
  }

  /// Uses `units` if at least as many are left.
  boolean use(double units, long nowNanos) {
    refill(nowNanos);
    if (left < units) {
      return false;
    }
    left -= units;
    return true;
  }

  /// Takes `units` even if fewer are left. The debt is at most what can be left.
  void charge(double units, long nowNanos) {
    refill(nowNanos);
    left = Math.max(-most, left - units);
  }

  void giveBack(double units) {
    left = Math.min(most, left + units);
  }

  /// Whether nothing is in use.
  boolean isFull(long nowNanos) {
    refill(nowNanos);
    return left >= most;
  }

  private void refill(long nowNanos) {
    left = Math.min(most, left + (nowNanos - sinceNanos) / NANOS_PER_SECOND * perSecond);
    sinceNanos = nowNanos;
  }
}
