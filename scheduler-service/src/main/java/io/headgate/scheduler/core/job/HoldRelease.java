package io.headgate.scheduler.core.job;

/// Why a hold ended.
public enum HoldRelease {
  /// Its job starts there.
  USED,
  /// Its job starts elsewhere.
  NOT_NEEDED,
  /// A better-ranked job holds instead, or its job may no longer start.
  OUTRANKED,
  /// Its expected start was unknown for too long (O7).
  EXPIRED,
  /// Its job no longer waits.
  JOB_GONE,
  /// A node of it no longer takes work.
  NODE_GONE,
  /// The job's size, pools or rights changed.
  CONFIGURATION_CHANGED
}
