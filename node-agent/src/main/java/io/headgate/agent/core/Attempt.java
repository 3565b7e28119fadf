package io.headgate.agent.core;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/// The reconciler's state of one attempt.
///
/// @param assignment empty for one that was refused or never known: it only keeps a late copy of
///   the command from starting anything
/// @param stepsReported steps of its stop that the scheduler was told
/// @param caughtUp whether the scheduler has all earlier steps; false after a restart
/// @param step the last step of its stop
/// @param cause why this machine stops it by itself; unknown after a restart
/// @param end known from when nothing of the job lives
/// @param suspension the order by which it is suspended; 0: it is not
/// @param address where the other workers of its gang reach it; empty: it is not prepared, or has
///   no start barrier
record Attempt(
    AttemptKey key,
    Optional<Assignment> assignment,
    AttemptState state,
    Optional<Instant> started,
    int stepsReported,
    boolean caughtUp,
    Optional<StopStep> step,
    Optional<String> cause,
    Optional<AttemptReport.End> end,
    long suspension,
    Optional<WorkerAddress> address) {

  static Attempt assigned(Assignment assignment, boolean caughtUp) {
    return new Attempt(
        assignment.key(),
        Optional.of(assignment),
        AttemptState.STARTING,
        Optional.empty(),
        0,
        caughtUp,
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        0,
        Optional.empty());
  }

  static Attempt ended(AttemptReport report) {
    return new Attempt(
        report.key(),
        Optional.empty(),
        AttemptState.ENDED,
        report.started(),
        0,
        true,
        report.step(),
        Optional.empty(),
        report.end(),
        0,
        report.address());
  }

  List<SliceGrant> heldSlices() {
    return state == AttemptState.ENDED || suspension != 0
        ? List.of()
        : assignment.map(Assignment::slices).orElse(List.of());
  }

  Attempt in(AttemptState next) {
    return new Attempt(
        key,
        assignment,
        next,
        started,
        stepsReported,
        caughtUp,
        step,
        cause,
        end,
        suspension,
        address);
  }

  Attempt startedAt(Instant instant) {
    return new Attempt(
        key,
        assignment,
        state,
        Optional.of(instant),
        stepsReported,
        caughtUp,
        step,
        cause,
        end,
        suspension,
        address);
  }

  Attempt reported(int steps, Optional<StopStep> last) {
    return new Attempt(
        key, assignment, state, started, steps, true, last, cause, end, suspension, address);
  }

  Attempt stoppedFor(String problem) {
    return new Attempt(
        key,
        assignment,
        state,
        started,
        stepsReported,
        caughtUp,
        step,
        Optional.of(problem),
        end,
        suspension,
        address);
  }

  Attempt endedBy(AttemptReport.End known) {
    return new Attempt(
        key,
        assignment,
        state,
        started,
        stepsReported,
        caughtUp,
        step,
        cause,
        Optional.of(known),
        suspension,
        address);
  }

  Attempt endedBy(EndReason reason, String problem, Instant now) {
    return endedBy(new AttemptReport.End(reason, OptionalInt.empty(), Optional.of(problem), now));
  }

  /// The attempt with the end that its supervisor reports.
  Attempt endedBy(Observation.Ending ending) {
    EndReason reason = EndReason.ofSupervisor(ending.reason());
    Optional<String> error =
        ending
            .error()
            .or(() -> cause)
            .or(() ->
                switch (reason) {
                  case LIMIT_EXCEEDED ->
                      Optional.of("it used more GPU memory than its slices have");
                  case DEVICE_FAILED -> Optional.of("a GPU of one of its slices failed");
                  default -> Optional.empty();
                });
    return endedBy(new AttemptReport.End(reason, ending.exitCode(), error, ending.at()));
  }

  /// The attempt, suspended by the order with this number. 0: it is no longer suspended, and the
  /// cause of its stop is forgotten.
  Attempt suspendedBy(long order) {
    return new Attempt(
        key,
        assignment,
        state,
        started,
        stepsReported,
        caughtUp,
        order == 0 ? Optional.empty() : step,
        cause,
        end,
        order,
        address);
  }

  /// The attempt, prepared for its start barrier.
  Attempt preparedAt(WorkerAddress known) {
    return new Attempt(
        key,
        assignment,
        state,
        started,
        stepsReported,
        caughtUp,
        step,
        cause,
        end,
        suspension,
        Optional.of(known));
  }

  /// Whether its program ended by itself, and not well.
  boolean hasFailed() {
    return end.filter(
            known -> known.reason() == EndReason.EXITED && known.exitCode().orElse(0) != 0)
        .isPresent();
  }

  /// The same end, for another reason.
  Attempt failedBy(EndReason reason, String problem) {
    AttemptReport.End known = end.orElseThrow();
    return endedBy(
        new AttemptReport.End(reason, known.exitCode(), Optional.of(problem), known.at()));
  }

  AttemptReport report() {
    // An end is reported only once the slices are free as well.
    Optional<AttemptReport.End> shown = state == AttemptState.ENDED ? end : Optional.empty();
    return new AttemptReport(
        key,
        state,
        started,
        step,
        shown,
        state == AttemptState.SUSPENDED ? suspension : 0,
        address);
  }
}
