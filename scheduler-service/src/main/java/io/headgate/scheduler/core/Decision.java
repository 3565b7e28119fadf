package io.headgate.scheduler.core;

import io.headgate.scheduler.core.explain.Denial;
import io.headgate.scheduler.core.job.JobId;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/// What the core makes of a batch of inputs.
///
/// @param effects in the order in which they were decided; later ones may depend on earlier ones
/// @param refusals inputs of users that were refused and changed nothing, in their order
/// @param wakeAt when something is due although nothing happens: decide again then, with
///   [Input.TimePassed]. It replaces the earlier one
public record Decision(List<Effect> effects, List<Refusal> refusals, Optional<Instant> wakeAt) {
  public Decision {
    effects = List.copyOf(effects);
    refusals = List.copyOf(refusals);
  }

  /// A user's input that was refused.
  ///
  /// @param input its index in the batch
  public record Refusal(int input, JobId job, Denial denial) {}
}
