package io.headgate.agent.core;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/// A supervisor's record of its attempt.
///
/// @param started when the program started
/// @param stop present once a stop is under way
/// @param ending present once nothing of the job lives any more
public record Observation(Instant started, Optional<StopProgress> stop, Optional<Ending> ending) {

  /// A stop under way.
  ///
  /// @param reason the supervisor's word for it
  /// @param termed when SIGTERM was sent
  /// @param killed when SIGKILL was sent
  public record StopProgress(
      String reason,
      Optional<CallbackRun> callback,
      Optional<Instant> termed,
      Optional<Instant> killed) {}

  /// A run of the abort callback.
  ///
  /// @param duration empty: the callback still runs
  /// @param cut why it was killed (`timed-out`, `skipped`); empty: it was not
  /// @param exitCode empty: the callback still runs
  public record CallbackRun(
      Instant started, Optional<Duration> duration, Optional<String> cut, OptionalInt exitCode) {}

  /// The end of a job.
  ///
  /// @param reason the supervisor's word for it
  /// @param exitCode 0 to 255, or 128 + signal; empty: the program never ran
  /// @param error why the program could not be started
  public record Ending(Instant at, String reason, OptionalInt exitCode, Optional<String> error) {}

  /// Returns the observation with the cause that the job exceeded its memory.
  public Observation overLimit() {
    return new Observation(
        started,
        stop,
        ending.map(known -> new Ending(known.at(), "over-limit", known.exitCode(), known.error())));
  }

  /// The steps of the stop so far, in order; each new observation only adds to them.
  ///
  /// Example: after a callback that was cut off and a job that ended in its grace time: callback,
  /// callback timed-out, term, term ok.
  public List<StopStep> steps() {
    List<StopStep> steps = new ArrayList<>();
    stop.ifPresent(progress -> {
      progress.callback().ifPresent(run -> addCallback(steps, run, progress));
      progress.termed().ifPresent(termed -> addTerm(steps, termed, progress));
      progress
          .killed()
          .ifPresent(killed -> addSignal(steps, StopStep.Phase.KILL, killed, endedAt()));
    });
    return List.copyOf(steps);
  }

  private Optional<Instant> endedAt() {
    return ending.map(Ending::at);
  }

  private void addCallback(List<StopStep> steps, CallbackRun run, StopProgress progress) {
    steps.add(StopStep.begun(StopStep.Phase.CALLBACK));
    if (run.cut().isPresent()) {
      Instant over = progress.termed().or(this::endedAt).orElse(run.started());
      StopStep.Result result =
          run.cut().get().equals("skipped") ? StopStep.Result.SKIPPED : StopStep.Result.TIMED_OUT;
      steps.add(
          StopStep.over(StopStep.Phase.CALLBACK, result, Duration.between(run.started(), over)));
    } else if (run.duration().isPresent()) {
      boolean good = run.exitCode().orElse(-1) == 0;
      steps.add(
          StopStep.over(
              StopStep.Phase.CALLBACK,
              good ? StopStep.Result.OK : StopStep.Result.FAILED,
              run.duration().get()));
    }
  }

  private void addTerm(List<StopStep> steps, Instant termed, StopProgress progress) {
    if (progress.killed().isPresent()) {
      steps.add(StopStep.begun(StopStep.Phase.TERM));
      steps.add(
          StopStep.over(
              StopStep.Phase.TERM,
              StopStep.Result.TIMED_OUT,
              Duration.between(termed, progress.killed().get())));
    } else {
      addSignal(steps, StopStep.Phase.TERM, termed, endedAt());
    }
  }

  private static void addSignal(
      List<StopStep> steps, StopStep.Phase phase, Instant sent, Optional<Instant> ended) {
    steps.add(StopStep.begun(phase));
    ended.ifPresent(
        at -> steps.add(StopStep.over(phase, StopStep.Result.OK, Duration.between(sent, at))));
  }
}
