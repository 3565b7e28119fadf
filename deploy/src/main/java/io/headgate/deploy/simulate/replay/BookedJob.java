package io.headgate.deploy.simulate.replay;

import io.headgate.scheduler.core.catalog.PolicyId;
import io.headgate.scheduler.core.catalog.Profile;
import io.headgate.scheduler.core.job.Assignment;
import io.headgate.scheduler.simulation.Scenario.JobPlan;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/// A job as the books know it. Times are milliseconds from the start of the replay.
final class BookedJob {
  /// The state of the job according to the events so far.
  enum Stage {
    WAITING,
    RUNNING,
    STOPPING,
    FINISHED,
    NEVER_FITS
  }

  final JobPlan plan;
  final Profile profile;
  final PolicyId policy;

  /// Position in the order of submissions.
  final int number;

  Stage stage = Stage.WAITING;
  @Nullable Assignment place;

  /// Start of the current stage.
  long sinceMs;

  long waitedMs;
  private long startedMs;
  private long savedMs;

  BookedJob(JobPlan plan, Profile profile, PolicyId policy, int number, long atMs) {
    this.plan = plan;
    this.profile = profile;
    this.policy = policy;
    this.number = number;
    this.sinceMs = atMs;
  }

  String name() {
    return plan.name();
  }

  /// GPU units of all its workers together.
  long need() {
    return profile.need().units();
  }

  void start(Assignment at, long atMs) {
    waitedMs += atMs - sinceMs;
    startedMs = atMs;
    place = at;
    enter(Stage.RUNNING, atMs);
  }

  void enter(Stage next, long atMs) {
    stage = next;
    sinceMs = atMs;
  }

  /// The end of its work if nothing stops it.
  long doneMs() {
    long duration = plan.duration().map(Duration::toMillis).orElseThrow();
    return startedMs + Math.max(0, duration - savedMs);
  }

  /// Ends an attempt before its work is done: it worked until the request to stop.
  ///
  /// @return the lost work, in milliseconds
  long interrupt() {
    long worked = sinceMs - startedMs;
    long kept =
        plan.checkpoint().map(Duration::toMillis).map(each -> worked - worked % each).orElse(0L);
    savedMs += kept;
    return worked - kept;
  }
}
