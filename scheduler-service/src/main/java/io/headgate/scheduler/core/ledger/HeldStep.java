package io.headgate.scheduler.core.ledger;

import io.headgate.scheduler.core.job.JobId;
import java.time.Instant;
import java.util.Optional;

/// The free slices held for a job from a time on, until its next step. Only the newest step is
/// kept: it says where the next interval begins.
///
/// @param held empty: nothing any more
public record HeldStep(JobId job, Instant at, Optional<Held> held) {
  /// Free slices and the terms of their use.
  public record Held(Holding holding, Terms terms) {}
}
