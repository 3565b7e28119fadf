package io.headgate.scheduler.core.job;

import io.headgate.type.GpuQuantity;
import java.time.Duration;
import java.util.OptionalInt;

/// The weighing of an attempt that was chosen as a victim (P4).
///
/// Example: a job needs half a GPU, and the only job above a reservation is a gang of 16. So no
/// smaller job of its standing could go, and the gang is first in the order: 1 considered, 1
/// victim, 16 freed.
///
/// @param way how victims were looked for
/// @param considered attempts of which the victims were chosen
/// @param victims chosen for the one job
/// @param freed GPUs that this victim frees; 0: it was suspended
/// @param lost GPU time since this victim's last checkpoint, as time of one GPU
/// @param smaller of a victim that frees more than 4 times the need: how many smaller attempts of
///   its standing might have gone; they did not suffice. Empty: it is not that large
public record Weighing(
    Way way, int considered, int victims, GpuQuantity freed, Duration lost, OptionalInt smaller) {
  /// How victims were looked for.
  public enum Way {
    /// In the order of victims, up to the first with which the job fits (P4, steps 2 and 3).
    ORDER,
    /// Node by node, because the order led to no place (P4, step 4).
    PLACE
  }
}
