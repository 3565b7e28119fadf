package io.headgate.scheduler.core.queue;

import io.headgate.scheduler.core.catalog.ProfileId;
import io.headgate.scheduler.core.job.Assignment;
import io.headgate.scheduler.core.job.Attempt;
import io.headgate.scheduler.core.job.AttemptId;
import io.headgate.scheduler.core.job.Slice;
import io.headgate.scheduler.core.job.StopOrder;
import io.headgate.scheduler.core.job.StopOutcome;
import io.headgate.scheduler.core.job.WorkerPlace;
import io.headgate.scheduler.core.job.WorkerStatus;
import io.headgate.scheduler.core.placement.NodeState;
import io.headgate.scheduler.core.placement.PoolState;
import io.headgate.scheduler.core.placement.Stake;
import io.headgate.scheduler.core.rights.Claim;
import io.headgate.scheduler.core.rights.Levels;
import io.headgate.scheduler.core.rights.PolicyAccount;
import io.headgate.scheduler.core.rights.TenantAccount;
import io.headgate.type.GpuQuantity;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// A job's run that has slices.
public final class LiveAttempt {
  private final LiveJob job;
  private final AttemptId id;
  private PolicyAccount policy;
  private final TenantAccount tenant;
  private final ProfileId profile;
  private final PoolState pool;
  private final Assignment assignment;
  private final List<NodeState> nodes;
  private final Claim claim;
  private long sequence;
  private final Instant assignedAt;
  private @Nullable Instant startedAt;
  private @Nullable Instant checkpointAt;
  private final WorkerStatus[] workers;
  private @Nullable StopOrder stop;
  private boolean suspended;

  /// Takes the attempt; nothing is accounted yet.
  ///
  /// @param tenant of the policy, in the pool
  /// @param nodes by worker
  public LiveAttempt(
      Attempt attempt,
      LiveJob job,
      PolicyAccount policy,
      TenantAccount tenant,
      PoolState pool,
      List<NodeState> nodes) {
    this.job = job;
    this.id = attempt.id();
    this.policy = policy;
    this.tenant = tenant;
    this.profile = attempt.profile();
    this.pool = pool;
    this.assignment = attempt.assignment();
    this.nodes = List.copyOf(nodes);
    this.claim = new Claim(job.user(), assignment.units(), attempt.preemptible());
    this.sequence = attempt.sequence();
    this.assignedAt = attempt.assignedAt();
    this.startedAt = attempt.startedAt().orElse(null);
    this.checkpointAt = attempt.checkpointAt().orElse(null);
    this.workers = attempt.workers().toArray(WorkerStatus[]::new);
    this.stop = attempt.stop().orElse(null);
    this.suspended = workers[0] == WorkerStatus.SUSPENDED;
  }

  public LiveJob job() {
    return job;
  }

  public AttemptId id() {
    return id;
  }

  public PolicyAccount policy() {
    return policy;
  }

  /// It counts on another policy of its tenant from now on; nothing is accounted.
  public void setPolicy(PolicyAccount account) {
    policy = account;
  }

  /// The policy's tenant, in the pool that it runs in.
  public TenantAccount tenant() {
    return tenant;
  }

  /// The levels that it counts on.
  public Levels levels() {
    return new Levels(policy, tenant);
  }

  public ProfileId profile() {
    return profile;
  }

  public PoolState pool() {
    return pool;
  }

  public Assignment assignment() {
    return assignment;
  }

  /// The nodes, by worker.
  public List<NodeState> nodes() {
    return nodes;
  }

  public Claim claim() {
    return claim;
  }

  public long units() {
    return claim.units();
  }

  /// The GPU units that become free if it is stopped: none while it is suspended.
  public long takenUnits() {
    return suspended ? 0 : units();
  }

  /// Its share of the worker's node; while it is suspended, processors and main memory only.
  public WorkerPlace share(int worker) {
    WorkerPlace place = assignment.workers().get(worker);
    return suspended
        ? new WorkerPlace(place.node(), List.of(), place.cpuMillis(), place.memoryBytes())
        : place;
  }

  public long sequence() {
    return sequence;
  }

  public @Nullable StopOrder stop() {
    return stop;
  }

  public void setStop(StopOrder order) {
    stop = order;
  }

  /// Whether it is suspended, or was asked to suspend rather than stop.
  public boolean isKept() {
    return stop != null && stop.outcome() == StopOutcome.SUSPEND;
  }

  /// Whether it stands still in its machine's main memory, or ended there: it has no slices.
  public boolean isSuspended() {
    return suspended;
  }

  /// It has one worker, which now stands still.
  public void suspend() {
    suspended = true;
    workers[0] = WorkerStatus.SUSPENDED;
  }

  /// It resumes, as if it was assigned only now.
  public void resume(long newSequence) {
    suspended = false;
    workers[0] = WorkerStatus.ASSIGNED;
    stop = null;
    sequence = newSequence;
  }

  /// Whether it could be suspended when it has to go: it runs, as one worker, on whole devices.
  public boolean maySuspend() {
    if (job.spec().suspend().isEmpty() || workers.length != 1 || takenUnits() == 0) {
      return false;
    }
    for (Slice slice : assignment.workers().getFirst().slices()) {
      if (!slice.quantity().equals(GpuQuantity.ONE)) {
        return false;
      }
    }
    return true;
  }

  /// Until when it may be kept suspended; only for an attempt that is or will be suspended.
  public Instant keptUntil() {
    StopOrder order = Objects.requireNonNull(stop, "the attempt has no order to suspend");
    return order.at().plus(job.spec().suspend().orElse(Duration.ZERO));
  }

  public Stake stake() {
    return stop == null ? Stake.LIVE : Stake.STOPPING;
  }

  public int workers() {
    return workers.length;
  }

  public WorkerStatus worker(int worker) {
    return workers[worker];
  }

  public void setWorker(int worker, WorkerStatus status) {
    workers[worker] = status;
  }

  /// Whether no worker is left whose start is not yet known.
  public boolean hasStarted() {
    for (WorkerStatus worker : workers) {
      if (worker == WorkerStatus.ASSIGNED) {
        return false;
      }
    }
    return true;
  }

  /// Whether no worker can be using its slices any more.
  public boolean hasEnded() {
    for (WorkerStatus worker : workers) {
      if (worker.isLive()) {
        return false;
      }
    }
    return true;
  }

  public boolean hasSucceeded() {
    for (WorkerStatus worker : workers) {
      if (worker != WorkerStatus.SUCCEEDED) {
        return false;
      }
    }
    return true;
  }

  /// When all its workers ran for the first time; null: not yet.
  public @Nullable Instant startedAt() {
    return startedAt;
  }

  public void setStarted(Instant at) {
    startedAt = at;
  }

  public void setCheckpoint(Instant at) {
    checkpointAt = at;
  }

  /// Whether one of its nodes takes work, or will as soon as it has reported to a new leader.
  public boolean isWhereWorkIsTaken() {
    for (NodeState node : nodes) {
      if (node.willTakeWork()) {
        return true;
      }
    }
    return false;
  }

  /// Until when the policy's minimum run time protects it (P2). One that does not run yet counts
  /// from its assignment.
  public Instant protectedUntil() {
    Duration least = policy.minRuntime();
    return least.isZero() ? Instant.MIN : from().plus(least);
  }

  /// From when on its run time counts: until it runs, from its assignment.
  public Instant from() {
    return startedAt == null ? assignedAt : startedAt;
  }

  /// When it will have ended at the latest, if its user said how long it runs at most.
  public Optional<Instant> endsBy() {
    return job.spec().maxRuntime().map(from()::plus);
  }

  /// The work that would be lost by stopping it now, in units × milliseconds since its last
  /// checkpoint (P4). A suspended attempt has done none since it was asked to suspend.
  public double lostWork(Instant now) {
    Instant from = checkpointAt != null ? checkpointAt : startedAt;
    Instant to = isKept() && suspended ? Objects.requireNonNull(stop).at() : now;
    return from == null || !from.isBefore(to)
        ? 0
        : (double) units() * Duration.between(from, to).toMillis();
  }

  /// The GPU time that a move of the job loses now, in units × milliseconds (P11). It is the work
  /// since the last checkpoint, the stop, and a start that lasts as long as the last one.
  public double lostByMove(Instant now) {
    long pause =
        job.spec().stopTime().toMillis()
            + (startedAt == null ? 0 : Duration.between(assignedAt, startedAt).toMillis());
    return lostWork(now) + (double) units() * pause;
  }

  public Attempt toAttempt() {
    return new Attempt(
        id,
        policy.id(),
        profile,
        assignment,
        claim.preemptible(),
        sequence,
        assignedAt,
        Optional.ofNullable(startedAt),
        Optional.ofNullable(checkpointAt),
        List.of(workers),
        Optional.ofNullable(stop));
  }
}
