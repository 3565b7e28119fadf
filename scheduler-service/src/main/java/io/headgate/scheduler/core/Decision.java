package io.headgate.scheduler.core;

import io.headgate.scheduler.core.explain.Denial;
import io.headgate.scheduler.core.job.Hold;
import io.headgate.scheduler.core.job.JobId;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/// The outcome of a batch of inputs.
///
/// @param effects in the order in which they were decided; later ones may depend on earlier ones
/// @param refusals inputs of users that were refused and changed nothing, in their order
/// @param wakeAt when the core must decide again, with [Input.TimePassed], although no input
///   arrives; it replaces the earlier time
/// @param holdChanges when holds of rule O7, and places kept for returning jobs, ceased to count
///   and counted again. The shell ignores them; a checker that holds the effects against the rules
///   one by one needs them
public record Decision(
    List<Effect> effects,
    List<Refusal> refusals,
    Optional<Instant> wakeAt,
    List<HoldChange> holdChanges) {
  public Decision {
    effects = List.copyOf(effects);
    refusals = List.copyOf(refusals);
    holdChanges = List.copyOf(holdChanges);
  }

  /// A hold of rule O7 was lifted until its job's turn, or is in force again as it was. One that
  /// was lifted and does not come back is released by an effect. The place of a returning job (O5),
  /// which has an attempt, comes and goes without an effect.
  ///
  /// @param at the index of the first effect that was decided afterwards
  public record HoldChange(int at, Hold hold, boolean inForce) {}

  /// A user's input that was refused.
  ///
  /// @param input its index in the batch
  public record Refusal(int input, JobId job, Denial denial) {}
}
