package io.headgate.sdk.cli.command.shared;

import io.headgate.sdk.cli.output.Cell;
import io.headgate.sdk.cli.output.Style;
import io.headgate.type.GpuQuantity;
import org.jspecify.annotations.Nullable;

/// How a policy stands, in words: `over by 1/2`, `2 below, jobs wait`.
public final class PolicyStanding {
  private PolicyStanding() {}

  /// The use in relation to the reservation and the limit.
  ///
  /// @param limit null: none
  public static Cell of(
      GpuQuantity used, GpuQuantity reservation, @Nullable GpuQuantity limit, long waitingJobs) {
    int toLimit = limit == null ? -1 : used.compareTo(limit);
    if (limit != null && toLimit > 0) {
      return Cell.of(Style.BAD, "above limit by " + used.minus(limit).mixed());
    }
    if (limit != null && toLimit == 0 && limit.units() > 0) {
      return Cell.of(Style.WAITING, "at limit");
    }
    int toReservation = used.compareTo(reservation);
    if (toReservation > 0) {
      return Cell.of(Style.WAITING, "over by " + used.minus(reservation).mixed());
    }
    if (toReservation == 0) {
      return Cell.of(reservation.units() == 0 ? "" : "at reservation");
    }
    GpuQuantity below = reservation.minus(used);
    if (waitingJobs > 0) {
      return Cell.of(Style.BAD, below.mixed() + " below, jobs wait");
    }
    // Unused GPUs below the reservation are no fault while no job waits.
    return used.units() == 0 ? Cell.of(Style.DIM, "idle") : Cell.of(Style.GOOD, "as reserved");
  }
}
