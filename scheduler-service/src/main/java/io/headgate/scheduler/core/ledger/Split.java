package io.headgate.scheduler.core.ledger;

/// GPU units by the right under which they are used, in 1/126000 GPU.
///
/// A policy's reservation covers its running jobs in the order in which they were assigned; the job
/// at the edge is split. So a job's share changes only when an earlier one ends, or when the rights
/// change.
///
/// @param entitled within the policy's reservation
/// @param overReservation above the reservation, within the limit
/// @param aboveLimit above the limit: by an exceed-limit grant, or because the limit was lowered
public record Split(long entitled, long overReservation, long aboveLimit) {
  public static final Split NONE = new Split(0, 0, 0);

  public long units() {
    return entitled + overReservation + aboveLimit;
  }

  public Split plus(Split more) {
    return new Split(
        entitled + more.entitled,
        overReservation + more.overReservation,
        aboveLimit + more.aboveLimit);
  }

  /// These units, divided so that they make up another sum: the difference counts as entitled, or
  /// is missing from the entitled units first.
  public Split madeUpTo(long units) {
    long above = Math.min(aboveLimit, units);
    long over = Math.min(overReservation, units - above);
    return new Split(units - above - over, over, above);
  }

  Split times(long millis) {
    return new Split(entitled * millis, overReservation * millis, aboveLimit * millis);
  }

  Split minus(Split less) {
    return new Split(
        entitled - less.entitled,
        overReservation - less.overReservation,
        aboveLimit - less.aboveLimit);
  }
}
