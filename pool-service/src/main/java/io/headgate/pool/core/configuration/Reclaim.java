package io.headgate.pool.core.configuration;

/// The jobs that a waiting job of a profile may preempt.
public enum Reclaim {
  /// Over-reservation jobs; a victim's policy may end below its reservation (P2).
  RESERVATION,
  /// No policy may end below its reservation.
  STRICT,
  /// Also those of worse-ranked policies (P7).
  RANK,
  /// Also, for a job that is not entitled, those of policies with a larger share (P10).
  FAIR
}
