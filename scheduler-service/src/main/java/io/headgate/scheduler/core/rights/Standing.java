package io.headgate.scheduler.core.rights;

/// The position of a job by the usage of its levels against their reservations and limits; the
/// better first. It is the first key of the order of turns (O1), and read backwards of the order of
/// victims. [Levels] decides it.
public enum Standing {
  /// Within the reservation of its policy, and within what every level above reserves.
  ENTITLED,
  /// Not entitled, while some department above has room within its reservation.
  LENT,
  /// Any other within the limits.
  OVER_RESERVATION,
  /// Above a limit: by a grant to exceed it (A2), or because the limit has shrunk.
  ABOVE_LIMIT
}
