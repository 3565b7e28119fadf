package io.headgate.agent.core;

import java.util.OptionalDouble;

/// The latest progress that an attempt's program reported.
///
/// @param fraction of its work that is done, 0 to 1; empty: not reported
/// @param message in its own words; may be empty
/// @param checkpoint tells its last checkpoint from those before; 0: none reported
/// @param checkpointBootMs when that was noticed, by the boot clock
/// @param isLast the program has ended and reports nothing more
public record JobProgress(
    AttemptKey key,
    OptionalDouble fraction,
    String message,
    long checkpoint,
    long checkpointBootMs,
    boolean isLast) {

  /// The progress of a program that has reported nothing.
  public static JobProgress none(AttemptKey key) {
    return new JobProgress(key, OptionalDouble.empty(), "", 0, 0, false);
  }

  public boolean isSomething() {
    return fraction.isPresent() || checkpoint != 0;
  }

  /// This progress, updated by a report.
  ///
  /// @param nowBootMs when a checkpoint that was not known before is noticed
  public JobProgress with(Said said, long nowBootMs) {
    boolean isNew = said.checkpoint() != 0 && said.checkpoint() != checkpoint;
    boolean advances = said.fraction().isPresent();
    return new JobProgress(
        key,
        advances ? said.fraction() : fraction,
        advances ? said.message() : message,
        isNew ? said.checkpoint() : checkpoint,
        isNew ? nowBootMs : checkpointBootMs,
        isLast);
  }

  public JobProgress asLast() {
    return new JobProgress(key, fraction, message, checkpoint, checkpointBootMs, true);
  }

  /// The content of its files at one look.
  ///
  /// @param fraction empty: unreadable, so the previous value stays
  /// @param checkpoint 0: none visible
  public record Said(OptionalDouble fraction, String message, long checkpoint) {}
}
