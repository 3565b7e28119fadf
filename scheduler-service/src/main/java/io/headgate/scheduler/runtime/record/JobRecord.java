package io.headgate.scheduler.runtime.record;

import io.headgate.scheduler.core.catalog.TenantId;
import io.headgate.scheduler.core.job.ArrayElement;
import io.headgate.scheduler.core.job.AttemptId;
import io.headgate.scheduler.core.job.HeadroomHold;
import io.headgate.scheduler.core.job.HoldPause;
import io.headgate.scheduler.core.job.Job;
import io.headgate.scheduler.core.job.JobArray;
import io.headgate.scheduler.core.job.JobId;
import io.headgate.scheduler.core.job.JobState;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/// A job and how it stands: one row of the table `job`.
///
/// @param job as the core has it, or had it when it forgot it
/// @param course what happened to it, by the clock
/// @param draft why it is a draft; absent unless it is one
/// @param cancellation by whom and why it was cancelled last; absent: it was not, or it was
///   requeued since
/// @param simulated ran on, or is assigned to, simulated devices
/// @param version of the watch at which it last changed
public record JobRecord(
    JobMetadata metadata,
    Job job,
    Course course,
    Optional<DraftCause> draft,
    Optional<Cancellation> cancellation,
    boolean simulated,
    long version) {

  /// Why a job is a draft.
  ///
  /// @param code stable, UPPER_SNAKE
  public record DraftCause(String code, String message) {}

  /// When its current or last attempt started, when it reached a final state, and how the last
  /// attempt exited.
  public record Course(
      Optional<Instant> startedAt, Optional<Instant> finishedAt, Optional<Integer> exitCode) {
    public static final Course NONE =
        new Course(Optional.empty(), Optional.empty(), Optional.empty());
  }

  public JobId id() {
    return job.id();
  }

  public JobName name() {
    return metadata.name();
  }

  /// Tells this job from all others that have its name, before it or after it: a name is free again
  /// once its job is forgotten, and after a restore from a backup even numbers are.
  public String uid() {
    return uid(id(), metadata.createdAt());
  }

  /// The same of a job that was first submitted then.
  public static String uid(JobId id, Instant createdAt) {
    Duration since = Duration.between(Instant.EPOCH, createdAt);
    return Long.toString(id.value(), Character.MAX_RADIX)
        + "-"
        + Long.toString(since.toNanos() / 1000, Character.MAX_RADIX);
  }

  /// The name of an attempt's worker in the agent protocol.
  public WorkerName worker(AttemptId attempt, int worker) {
    return new WorkerName(name(), uid(), attempt.number(), worker);
  }

  public TenantId tenant() {
    return metadata.name().tenant();
  }

  public JobState state() {
    return job.state();
  }

  /// The state that lists show: an array runs while one of its elements has an attempt.
  public JobState shownState() {
    return state() == JobState.WAITING
            && job.array().filter(array -> array.tally().active() > 0).isPresent()
        ? JobState.RUNNING
        : state();
  }

  /// Whether it is an element of an array that has never been a job, if it is not live.
  public boolean isNumberOnly() {
    return job.element().isPresent() && job.attempts() == 0 && !state().isTerminal();
  }

  /// Id of the job under which it is stored: an element that has never been a job has no row.
  public JobId storedId() {
    return isNumberOnly() ? job.element().orElseThrow().array() : id();
  }

  /// An element of this array that has not started: it stands as its array does.
  public JobRecord element(int number) {
    JobArray array = job.array().orElseThrow();
    Job element =
        new Job(
            job.spec().with().id(array.idOf(id(), number)).build(),
            job.state(),
            array.sequenceOf(job.sequence(), number),
            job.submittedAt(),
            job.waitingSince(),
            0,
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            job.gate(),
            Optional.of(new ArrayElement(id(), number)));
    return new JobRecord(
        metadata.named(name().element(number)),
        element,
        new Course(Optional.empty(), course.finishedAt(), Optional.empty()),
        draft,
        cancellation,
        false,
        version);
  }

  public JobRecord with(Job newJob) {
    return new JobRecord(metadata, newJob, course, draft, cancellation, simulated, version);
  }

  /// With another pause of the job between holds (O7).
  public JobRecord withHoldPause(Optional<HoldPause> pause) {
    return with(job.withHoldPause(pause));
  }

  /// With other headroom that the job holds (O7).
  public JobRecord withHeadroom(Optional<HeadroomHold> headroom) {
    return with(job.withHeadroom(headroom));
  }

  public JobRecord with(JobMetadata newCard) {
    return new JobRecord(newCard, job, course, draft, cancellation, simulated, version);
  }

  public JobRecord with(Course newCourse) {
    return new JobRecord(metadata, job, newCourse, draft, cancellation, simulated, version);
  }

  public JobRecord with(Optional<DraftCause> cause) {
    return new JobRecord(metadata, job, course, cause, cancellation, simulated, version);
  }

  public JobRecord cancelled(Optional<Cancellation> newCancellation) {
    return new JobRecord(metadata, job, course, draft, newCancellation, simulated, version);
  }

  public JobRecord onSimulatedDevices() {
    return new JobRecord(metadata, job, course, draft, cancellation, true, version);
  }

  public JobRecord atVersion(long newVersion) {
    return new JobRecord(metadata, job, course, draft, cancellation, simulated, newVersion);
  }
}
