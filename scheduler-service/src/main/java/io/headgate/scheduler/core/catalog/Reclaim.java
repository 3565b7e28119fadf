package io.headgate.scheduler.core.catalog;

/// Which jobs a profile's entitled jobs may preempt (P2).
public enum Reclaim {
  /// Jobs of policies above their reservation, even if that policy ends below it.
  RESERVATION,
  /// Only jobs whose policy stays at or above its reservation without them.
  STRICT,
  /// As [#RESERVATION]; and a better-ranked policy also takes over-reservation jobs of worse-ranked
  /// ones (P7).
  RANK,
  /// As [#RESERVATION]; and a job that is not entitled also takes over-reservation jobs of a policy
  /// with a larger share (P10).
  FAIR
}
