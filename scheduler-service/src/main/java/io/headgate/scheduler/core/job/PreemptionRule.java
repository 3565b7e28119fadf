package io.headgate.scheduler.core.job;

/// The rule under which a job was preempted.
public enum PreemptionRule {
  /// An entitled job reclaims what others use above their reservation.
  P1,
  /// A better-ranked job takes what worse-ranked ones use above their reservation.
  P7,
  /// A job takes from jobs of its own policy that have lower priority.
  P9,
  /// A job takes from a policy whose share is larger.
  P10,
  /// A movable job goes on elsewhere, so that a blocked job fits.
  P11
}
