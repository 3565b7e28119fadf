package io.headgate.scheduler.simulation;

import io.headgate.scheduler.core.explain.Denial;
import io.headgate.scheduler.core.explain.Reason;
import io.headgate.scheduler.core.job.Assignment;
import io.headgate.scheduler.core.job.AttemptId;
import io.headgate.scheduler.core.job.JobId;
import io.headgate.scheduler.core.job.JobSpec;
import io.headgate.scheduler.core.job.WorkerPlace;
import io.headgate.scheduler.simulation.Scenario.JobPlan;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/// The state of one job in a simulation.
final class SimulatedJob {
  /// The phase that the summary counts.
  enum Phase {
    WAITING,
    /// The core refused it, because it can never start as configured. It waits outside of the core.
    NEVER_FITS,
    RUNNING,
    FINISHED,
    CANCELLED
  }

  final JobId id;
  final JobPlan plan;
  Phase phase = Phase.WAITING;

  /// Begin of its wait, in milliseconds.
  long waitsSinceMs;

  /// The last reported reason of its wait; null: none yet.
  @Nullable Reason emittedReason;

  /// The reason of the core's refusal.
  @Nullable Denial denial;

  /// The number of the attempt that runs.
  int attempt;

  @Nullable Assignment place;
  long startedMs;

  /// When the attempt was first asked to stop; absent while it was not.
  OptionalLong stopMs = OptionalLong.empty();

  /// The work saved by earlier attempts.
  private long savedMs;

  /// The saved work of this attempt that the core knows of, in milliseconds.
  long toldSavedMs;

  /// Its submitter may not use the queue any more, so the end of its attempt makes a draft of it.
  boolean isBarred;

  SimulatedJob(JobId id, JobPlan plan, long waitsSinceMs) {
    this.id = id;
    this.plan = plan;
    this.waitsSinceMs = waitsSinceMs;
  }

  String name() {
    return plan.name();
  }

  /// Where its attempt runs; nowhere when it has none.
  List<WorkerPlace> workers() {
    return place == null ? List.of() : place.workers();
  }

  /// Units of GPU of its attempt, in 1/126000.
  long units() {
    return place == null ? 0 : place.units();
  }

  AttemptId attemptId() {
    return new AttemptId(id, attempt);
  }

  boolean isLive(AttemptId attemptId) {
    return phase == Phase.RUNNING && attemptId.number() == attempt;
  }

  JobSpec spec() {
    return new JobSpec(
        id,
        plan.queue(),
        plan.user(),
        plan.priority(),
        plan.preemptible(),
        plan.maxRuntime(),
        Duration.ZERO,
        Optional.empty(),
        plan.movable());
  }

  void start(int number, Assignment assignment, long atMs) {
    attempt = number;
    place = assignment;
    startedMs = atMs;
    stopMs = OptionalLong.empty();
    toldSavedMs = 0;
    emittedReason = null;
  }

  /// The time at which the attempt will have done its work; absent: never.
  OptionalLong doneMs() {
    return plan.duration().isEmpty()
        ? OptionalLong.empty()
        : OptionalLong.of(startedMs + Math.max(0, plan.duration().get().toMillis() - savedMs));
  }

  /// The time at which the attempt will exceed its maximum run time; absent: never.
  OptionalLong outOfTimeMs() {
    return plan.maxRuntime().stream()
        .mapToLong(Duration::toMillis)
        .map(ms -> startedMs + ms)
        .findFirst();
  }

  /// The work of this attempt that is saved at a time, in milliseconds.
  long savedOfAttemptMs(long atMs) {
    long worked = workedMs(atMs);
    return plan.checkpoint()
        .map(Duration::toMillis)
        .map(interval -> worked - worked % interval)
        .orElse(0L);
  }

  /// The work that this attempt has done until a time, in milliseconds; stopping is no work.
  long workedMs(long atMs) {
    return Math.max(0, stopMs.orElse(atMs) - startedMs);
  }

  /// Ends the attempt before its work is done.
  ///
  /// @return the work that is lost, in milliseconds
  long interrupt(long atMs) {
    long saved = savedOfAttemptMs(atMs);
    savedMs += saved;
    return workedMs(atMs) - saved;
  }
}
