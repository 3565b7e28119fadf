package io.headgate.scheduler.core.job;

/// The rule of DESIGN section 3 under which a job was preempted.
public enum PreemptionRule {
  /// An entitled job reclaims what others use above their reservation.
  P1
}
