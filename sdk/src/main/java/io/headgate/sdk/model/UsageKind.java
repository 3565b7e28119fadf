package io.headgate.sdk.model;

/// How a job's use relates to its policy.
public enum UsageKind {
  /// It uses nothing.
  NONE,
  /// Within the reservation.
  ENTITLED,
  /// Above the reservation: may be reclaimed.
  OVER_RESERVATION,
  /// Above the limit: reclaimed first.
  ABOVE_LIMIT
}
