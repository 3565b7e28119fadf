package io.headgate.scheduler.runtime.desk;

import io.headgate.scheduler.core.catalog.Policy;
import io.headgate.scheduler.core.catalog.TenantId;
import io.headgate.scheduler.core.job.AttemptId;
import io.headgate.scheduler.core.job.JobId;
import io.headgate.scheduler.core.job.JobState;
import io.headgate.scheduler.runtime.record.AttemptRecord;
import io.headgate.scheduler.runtime.record.JobRecord;
import io.headgate.scheduler.runtime.record.JobView;
import io.headgate.scheduler.runtime.record.JobView.Use;
import io.headgate.type.GpuQuantity;
import java.util.Optional;

/// Shows jobs with facts that only the leader knows. Confined to the loop.
public final class JobViews {
  private final LeaderState state;

  public JobViews(LeaderState state) {
    this.state = state;
  }

  /// A job that changed in this turn, or that is alive.
  Optional<JobView> of(LoopTurn turn, JobId id) {
    return Optional.ofNullable(turn.jobs.get(id))
        .or(() -> state.jobs.job(id))
        .map(job -> of(turn, job));
  }

  JobView of(LoopTurn turn, JobRecord job) {
    Optional<AttemptRecord> live = state.jobs.attempt(job.id());
    int number = job.job().attempts();
    Optional<AttemptRecord> last =
        live.isPresent() || number == 0
            ? live
            : Optional.ofNullable(turn.attempts.get(new AttemptId(job.id(), number)));
    return of(job, last, live);
  }

  /// A job that was read from the database, as it is now.
  JobView refresh(JobView read) {
    JobId id = read.job().id();
    JobRecord job = state.jobs.job(id).filter(now -> isNewer(now, read.job())).orElse(read.job());
    Optional<AttemptRecord> live = state.jobs.attempt(id);
    return of(job, live.or(read::attempt), live);
  }

  private JobView of(JobRecord job, Optional<AttemptRecord> attempt, Optional<AttemptRecord> live) {
    boolean waits = job.state() == JobState.WAITING;
    boolean isSuspended = job.state() == JobState.SUSPENDED;
    return new JobView(
        job,
        attempt,
        waits || isSuspended ? state.core.reason(asked(job)) : Optional.empty(),
        waits ? state.core.position(asked(job)) : Optional.empty(),
        live.filter(_ -> !isSuspended).flatMap(each -> use(job.tenant(), each)));
  }

  /// An element that is no job yet waits with its array.
  private JobId asked(JobRecord job) {
    return state.jobs.job(job.id()).isPresent() ? job.id() : job.storedId();
  }

  /// The right of the attempt's last unit, as the ledger splits it. Attempts fill the reservation
  /// and then the limit of their policy in the order of their assignment, because the last started
  /// are the first victims (P3). A policy that is gone has no limit to exceed.
  private Optional<Use> use(TenantId tenant, AttemptRecord attempt) {
    Optional<Policy> policy =
        state
            .catalog
            .rights(tenant, attempt.attempt().policy().name())
            .map(rights -> rights.policy());
    long units = state.jobs.unitsUpTo(attempt);
    if (units <= policy.map(Policy::reservation).orElse(GpuQuantity.ZERO).units()) {
      return Optional.of(Use.ENTITLED);
    }
    return Optional.of(
        policy.filter(known -> units > known.limit().units()).isPresent()
            ? Use.ABOVE_LIMIT
            : Use.OVER_RESERVATION);
  }

  private static boolean isNewer(JobRecord now, JobRecord read) {
    return now.version() >= read.version();
  }
}
