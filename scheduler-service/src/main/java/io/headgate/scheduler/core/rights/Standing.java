package io.headgate.scheduler.core.rights;

/// The position of a policy's or tenant's usage against its reservation and limit; the better
/// first. It is the first key of the order of turns (O1), and read backwards of the order of
/// victims.
public enum Standing {
  /// At or below the reservation.
  ENTITLED,
  /// Above the reservation, not above the limit.
  OVER_RESERVATION,
  /// Above the limit: by a grant to exceed it (A2), or because the limit has shrunk.
  ABOVE_LIMIT;

  /// The worse of two standings (A3).
  public Standing or(Standing other) {
    return compareTo(other) < 0 ? other : this;
  }
}
