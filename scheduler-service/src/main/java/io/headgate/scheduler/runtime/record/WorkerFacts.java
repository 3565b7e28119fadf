package io.headgate.scheduler.runtime.record;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

/// An agent's report of one worker, beyond the core's needs.
///
/// @param startedAt by the machine's clock
/// @param endedAt by the machine's clock
/// @param exitCode 0 to 255, or 128 + signal
/// @param error in one sentence; empty: no error
/// @param stopPhases names of the phases of its stop that have ended
/// @param use of its slices
public record WorkerFacts(
    Optional<Instant> startedAt,
    Optional<Instant> endedAt,
    Optional<EndReason> endReason,
    Optional<Integer> exitCode,
    String error,
    List<String> stopPhases,
    SliceUse use) {
  public static final WorkerFacts NONE =
      new WorkerFacts(
          Optional.empty(),
          Optional.empty(),
          Optional.empty(),
          Optional.empty(),
          "",
          List.of(),
          SliceUse.NONE);

  public WorkerFacts {
    stopPhases = List.copyOf(stopPhases);
  }

  /// The same facts, as if no phase of a stop had ended yet.
  WorkerFacts withoutStop() {
    return new WorkerFacts(startedAt, endedAt, endReason, exitCode, error, List.of(), use);
  }

  /// The same facts, with another use.
  public WorkerFacts with(SliceUse other) {
    return new WorkerFacts(startedAt, endedAt, endReason, exitCode, error, stopPhases, other);
  }

  /// How a worker ended on its machine.
  public enum EndReason {
    /// The program ended by itself.
    EXITED,
    /// Stopped on command.
    STOPPED,
    /// Stopped at its time limit.
    TIME_LIMIT,
    /// Stopped because the control plane was out of contact too long.
    OUT_OF_CONTACT,
    /// The program could not be started.
    START_FAILED,
    /// The command was refused; nothing ran.
    REJECTED,
    /// It vanished, or was running before a reboot.
    LOST,
    /// Its machine or agent was shut down in order; no user or decision stopped the worker.
    NODE_STOPPED,
    /// Stopped by its machine, because it had more than its slices.
    LIMIT_EXCEEDED,
    /// A device that it had slices of failed.
    DEVICE_FAILED
  }
}
