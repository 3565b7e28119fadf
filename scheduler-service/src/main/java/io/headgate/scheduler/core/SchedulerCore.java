package io.headgate.scheduler.core;

import io.headgate.scheduler.core.catalog.PoolId;
import io.headgate.scheduler.core.catalog.QueueId;
import io.headgate.scheduler.core.explain.Denial;
import io.headgate.scheduler.core.explain.Explanation;
import io.headgate.scheduler.core.explain.Forecast;
import io.headgate.scheduler.core.explain.LaneId;
import io.headgate.scheduler.core.explain.Reason;
import io.headgate.scheduler.core.job.Attempt;
import io.headgate.scheduler.core.job.AttemptId;
import io.headgate.scheduler.core.job.Dependency.Condition;
import io.headgate.scheduler.core.job.Hold;
import io.headgate.scheduler.core.job.Job;
import io.headgate.scheduler.core.job.JobId;
import io.headgate.scheduler.core.job.JobSpec;
import io.headgate.scheduler.core.ledger.Books;
import io.headgate.scheduler.core.ledger.Price;
import io.headgate.scheduler.core.placement.PlacementPolicy;
import io.headgate.scheduler.core.placement.PoolState;
import io.headgate.scheduler.core.placement.StandardPlacement;
import io.headgate.scheduler.core.queue.LiveAttempt;
import io.headgate.scheduler.core.queue.LiveHold;
import io.headgate.scheduler.core.queue.LiveJob;
import io.headgate.scheduler.core.queue.QueueState;
import io.headgate.scheduler.core.rights.Standing;
import io.headgate.scheduler.core.usage.NodeUsage;
import io.headgate.scheduler.core.usage.PolicyUsage;
import io.headgate.scheduler.core.usage.PoolUsage;
import io.headgate.scheduler.core.usage.QueueUsage;
import io.headgate.scheduler.core.usage.TenantUsage;
import io.headgate.type.GpuQuantity;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.function.Function;
import java.util.function.Supplier;

/// The scheduler's decisions: which job runs, on which slice of which device, which job must stop,
/// and why every other job waits.
///
/// Confined to one thread, queries included: it has no locks. It is deterministic: the same inputs
/// at the same times lead to the same effects on any machine. An input that the core cannot use (a
/// late worker report, a catalog with a dangling name) never throws. An exception is a bug; the
/// shell then drops this core and loads another one from the committed state.
///
/// A decision takes effect in the core at once. A shell that could not commit its effects loads a
/// new core.
public final class SchedulerCore {
  /// The placement policy unless the configuration names another.
  public static final PlacementPolicy DEFAULT_PLACEMENT = StandardPlacement.TIGHTEST_FIT;

  private final World world;

  private final RoomSearches searches;

  private SchedulerCore(World world) {
    this.world = world;
    this.searches = new RoomSearches(world);
  }

  /// A core without catalog, nodes and jobs.
  public static SchedulerCore empty() {
    return load(SchedulerState.EMPTY);
  }

  /// A core without catalog, nodes and jobs, with another way of choosing places than usual.
  public static SchedulerCore empty(PlacementPolicy placement) {
    return load(SchedulerState.EMPTY, placement);
  }

  /// A core that continues from the given state. It decides nothing until it is asked to.
  ///
  /// @throws IllegalArgumentException when the state contradicts itself, for example when two
  ///   attempts have one slice
  public static SchedulerCore load(SchedulerState state) {
    return load(state, DEFAULT_PLACEMENT);
  }

  /// As [#load(SchedulerState)], with a placement policy of the caller's choice.
  public static SchedulerCore load(SchedulerState state, PlacementPolicy placement) {
    return new SchedulerCore(StateLoader.load(state, placement));
  }

  /// Applies the inputs in their order, then makes one pass: starts jobs, preempts victims, and
  /// finds the reason of every job that still waits.
  ///
  /// @param now not before that of the decision before
  public Decision decide(List<? extends Input> inputs, Instant now) {
    world.decidedAt = now;
    world.standings.clear();
    world.gates.begin();
    PastUses.begin(world, now);
    Transitions transitions = new Transitions(world);
    NodeInputs nodes = new NodeInputs(world, transitions);
    CatalogInputs catalogs = new CatalogInputs(world, transitions);
    JobInputs jobs = new JobInputs(world, transitions, now);
    WorkerInputs workers = new WorkerInputs(world, transitions, nodes, now);
    if (inputs.stream().anyMatch(input -> !(input instanceof Input.TimePassed))
        && world.possibleVictims.endFreshness(world.nextSequence())) {
      world.changes.victimsChanged();
    }
    for (int index = 0; index < inputs.size(); index++) {
      world.bars.lift(inputs.get(index));
      switch (inputs.get(index)) {
        case Input.CatalogChanged(var catalog) -> catalogs.apply(catalog);
        case Input.NodeChanged(var node) -> nodes.changed(node);
        case Input.NodeRemoved(var node) -> nodes.removed(node);
        case Input.NodeCleared(var node) -> nodes.cleared(node);
        case Input.JobSubmitted(var job, var gate) -> jobs.submit(index, job, gate);
        case Input.JobCancelled(var job) -> jobs.cancel(index, job);
        case Input.JobRequeued(var job) -> jobs.requeue(index, job);
        case Input.JobUpdated(var job) -> jobs.update(index, job);
        case Input.JobWithdrawn(var job) -> jobs.withdraw(job);
        case Input.WorkerStarted started -> workers.started(started);
        case Input.AttemptCheckpointed checkpointed -> workers.checkpointed(checkpointed);
        case Input.WorkerExited exited -> workers.exited(exited);
        case Input.WorkerStopped stopped -> workers.stopped(stopped);
        case Input.WorkerSuspended suspended -> workers.suspended(suspended);
        case Input.WorkerRejected rejected -> workers.rejected(rejected);
        case Input.WorkerUndelivered undelivered -> workers.undelivered(undelivered);
        case Input.WorkerLost lost -> workers.lost(lost);
        case Input.TimePassed() -> {}
      }
    }
    jobs.retry();
    List<LiveJob> resumed = jobs.endPauses();
    nodes.takeBack(now);
    resumed.addAll(new GateInputs(world, transitions, now).open());
    Optional<Instant> wakeAt = new Pass(world, transitions, searches, now).run();
    jobs.tellReasons(resumed);
    PastUses.tell(world, transitions, now);
    return new Decision(
        transitions.effects(), transitions.refusals(), wakeAt, transitions.holds().changes());
  }

  /// Everything that another core needs to continue.
  public SchedulerState state() {
    return StateLoader.state(world);
  }

  /// How it chooses places.
  public PlacementPolicy placement() {
    return world.placement;
  }

  /// An independent core in the same state, for plans.
  public SchedulerCore copy() {
    return load(state(), world.placement);
  }

  /// The reason to refuse such a job; empty when it would be queued. Changes nothing.
  public Optional<Denial> check(JobSpec job) {
    return JobInputs.denial(world, job);
  }

  /// The job, if it waits or has an attempt.
  public Optional<Job> job(JobId job) {
    return live(job).map(LiveJob::toJob);
  }

  /// The job's live attempt.
  public Optional<Attempt> attempt(JobId job) {
    return live(job).map(LiveJob::attempt).map(LiveAttempt::toAttempt);
  }

  /// The slices that are kept for the job.
  public Optional<Hold> hold(JobId job) {
    return live(job).map(LiveJob::hold).map(LiveHold::hold);
  }

  /// Why the job waits; empty when it does not.
  public Optional<Reason> reason(JobId job) {
    return live(job).flatMap(known -> Reasons.of(world, known));
  }

  /// The lane that such a job waits in, or would; empty for unknown queues.
  public Optional<LaneId> laneOf(JobSpec job) {
    return Optional.ofNullable(world.knownQueue(job.queue())).map(queue -> queue.laneOf(job));
  }

  /// The reason of the lane's jobs as it was told last; empty when none waits there.
  public Optional<Reason> toldReason(LaneId lane) {
    return Optional.ofNullable(world.knownQueue(lane.queue()))
        .flatMap(queue -> queue.lanes().stream().filter(each -> each.id().equals(lane)).findFirst())
        .map(each -> each.reported().reason());
  }

  /// The job's place in its queue; empty when it does not wait.
  public Optional<Explanation.Position> position(JobId job) {
    return live(job).flatMap(Explainer::position);
  }

  /// The first jobs that wait in the queue, in order.
  public List<JobId> waiting(QueueId queue, int limit) {
    return Optional.ofNullable(world.knownQueue(queue))
        .map(state -> Explainer.waiting(state, limit))
        .orElse(List.of());
  }

  /// `holdAfter` of the job's profile, if that is provisioned.
  Optional<Duration> holdAfter(JobId job) {
    return live(job)
        .flatMap(known -> known.queue().resolved())
        .map(resolved -> resolved.profile().holdAfter());
  }

  /// Everything that can be said about the job; empty when the core does not know it.
  public Optional<Explanation> explain(JobId job) {
    return live(job).map(known -> Explainer.explain(world, known, gaveUp(known.queue())));
  }

  /// Whether the last search for room for a job of the queue ended at its bound.
  private boolean gaveUp(QueueState queue) {
    return queue.resolved().isPresent() && searches.gaveUp(queue.group());
  }

  /// Bounds each search for victims otherwise than usual.
  void searchAtMost(int steps) {
    world.searchSteps = steps;
  }

  /// When the job starts if no more jobs come; empty when it does not wait. The call copies the
  /// state at once. The supplier may run beside the core's thread, and costs much more.
  public Supplier<Optional<Forecast>> forecast(JobId job, Instant now) {
    if (!isForeseeable(job)) {
      return Optional::empty;
    }
    if (world.jobs.size() > StartForecast.MAX_JOBS) {
      return () -> Optional.of(new Forecast.Unknown(Forecast.Cause.TOO_MANY));
    }
    SchedulerState state = state();
    return () -> StartForecast.of(state, world.placement, job, now);
  }

  /// When the jobs start if no more jobs come, as far as that can be said. The call copies the
  /// state at once. The supplier may run beside the core's thread, and costs much more.
  public Supplier<Map<JobId, Instant>> forecasts(Set<JobId> jobs, Instant now) {
    if (jobs.stream().noneMatch(this::isForeseeable)
        || world.jobs.size() > StartForecast.MAX_JOBS) {
      return Map::of;
    }
    SchedulerState state = state();
    return () -> StartForecast.of(state, world.placement, jobs, now);
  }

  /// Whether the job waits, and not for the failure of another one.
  boolean isForeseeable(JobId job) {
    return live(job)
        .filter(known -> known.attempt() == null)
        .filter(known ->
            known.gate().after().stream()
                .noneMatch(dependency -> dependency.condition() == Condition.FAIL))
        .isPresent();
  }

  /// The answers for the usage ledger, as of the last decision.
  ///
  /// @param prices of pools; empty: a pool has none
  public Books books(Function<PoolId, Optional<Price>> prices) {
    return new CoreBooks(world, prices);
  }

  /// The name of the standing (O1) of an attempt that began or ended in the last decision, as it
  /// began or just before it ended; empty for any other.
  public Optional<String> standing(AttemptId attempt) {
    return Optional.ofNullable(world.standings.get(attempt)).map(Standing::name);
  }

  /// Usage of all policies, by id.
  public List<PolicyUsage> policies() {
    return UsageReport.policies(world);
  }

  /// Usage of all tenants that share pools, by pool, then tenant.
  public List<TenantUsage> tenants() {
    return UsageReport.tenants(world);
  }

  /// Usage of all pools, by id.
  public List<PoolUsage> pools() {
    return UsageReport.pools(world);
  }

  /// The idle GPUs of each pool that no job of its queues can take at present: by the pool's
  /// ceiling, the places of divided devices, or the CPUs and memory of the nodes.
  public SortedMap<PoolId, GpuQuantity> unusable() {
    return UsageReport.unusable(world);
  }

  /// The idle capacity of the pool that is of no use to a requested job, in GPUs, on average over
  /// all requested jobs.
  public double strandedGpus(PoolId pool) {
    PoolState known = world.pools.get(pool);
    return known == null ? 0 : known.strandedUnits() / (double) GpuQuantity.UNITS_PER_GPU;
  }

  /// Usage of all queues, by id.
  public List<QueueUsage> queues() {
    return UsageReport.queues(world);
  }

  public Optional<QueueUsage> queue(QueueId queue) {
    return Optional.ofNullable(world.knownQueue(queue))
        .map(known -> UsageReport.queue(world, known));
  }

  /// Usage of all nodes, by id.
  public List<NodeUsage> nodes() {
    return UsageReport.nodes(world);
  }

  private Optional<LiveJob> live(JobId job) {
    return Optional.ofNullable(world.jobs.get(job));
  }
}
