package io.headgate.scheduler.core.queue;

import io.headgate.scheduler.core.catalog.Policy;
import io.headgate.scheduler.core.catalog.ProfileId;
import io.headgate.scheduler.core.catalog.Queue;
import io.headgate.scheduler.core.catalog.QueueId;
import io.headgate.scheduler.core.catalog.Reclaim;
import io.headgate.scheduler.core.catalog.SpentBudget;
import io.headgate.scheduler.core.catalog.UserId;
import io.headgate.scheduler.core.explain.LaneId;
import io.headgate.scheduler.core.job.JobSpec;
import io.headgate.scheduler.core.job.RunTimes;
import io.headgate.scheduler.core.placement.PoolState;
import io.headgate.scheduler.core.placement.Shape;
import io.headgate.scheduler.core.rights.Levels;
import io.headgate.scheduler.core.rights.PolicyAccount;
import io.headgate.scheduler.core.rights.Standing;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/// One queue: its configuration, resolved, and its waiting jobs.
public final class QueueState implements Comparable<QueueState>, TurnPlace.Contender {
  private final QueueId id;
  private @Nullable Queue queue;
  private @Nullable ResolvedQueue resolved;

  /// In the order of their ids.
  private final List<Lane> lanes = new ArrayList<>();

  private final TreeSet<LiveJob> holders = new TreeSet<>(LiveJob.ORDER);
  private final TreeSet<LiveJob> backedOff = new TreeSet<>(LiveJob.ORDER);
  private final TreeSet<LiveJob> keptBack = new TreeSet<>(LiveJob.ORDER);
  private int waitingInLanes;
  private boolean lanesByUser;
  private boolean preemptibleByDefault = true;
  private Set<UserId> exceedLimit = Set.of();
  private Optional<SpentBudget> closing = Optional.empty();
  private int rank = Integer.MAX_VALUE;
  private long need;
  private boolean open;
  private boolean overReservation;
  private long version;
  private int attempts;
  private final Turn turn = new Turn(this);
  private final Promoter promoter = new Promoter();
  private @Nullable PoolState expects;
  private final RunTimes runTimes = new RunTimes();
  private Guards<LiveJob> guards = Guards.none();

  public QueueState(QueueId id) {
    this.id = id;
  }

  public QueueId id() {
    return id;
  }

  /// How long its attempts ran that ended by themselves (O7).
  public RunTimes runTimes() {
    return runTimes;
  }

  /// Absent when the queue is not provisioned, or was removed while it had jobs.
  public Optional<Queue> queue() {
    return Optional.ofNullable(queue);
  }

  /// Absent when the queue's profile or policy is not provisioned.
  public Optional<ResolvedQueue> resolved() {
    return Optional.ofNullable(resolved);
  }

  /// Takes a new configuration. Its waiting jobs find their lanes anew where these are other ones.
  public void configure(@Nullable Queue newQueue, @Nullable ResolvedQueue newResolved) {
    queue = newQueue;
    resolved = newResolved;
    rank = newQueue == null ? Integer.MAX_VALUE : newQueue.rank();
    need = newResolved == null ? 0 : newResolved.shape().needUnits();
    closing = newResolved == null ? Optional.empty() : newResolved.closing();
    open = newResolved != null && newResolved.queue().open() && closing.isEmpty();
    overReservation = newResolved != null && newResolved.queue().overReservation();
    version++;
    turn.reconfigured();
    boolean newByUser = newResolved != null && newResolved.account().limitsUsers();
    boolean newDefault =
        newResolved == null || newResolved.account().policy().map(Policy::preemptible).orElse(true);
    Set<UserId> newExceedLimit = newResolved == null ? Set.of() : newResolved.exceedLimit();
    boolean promotesOtherwise = promoter.configure(routes());
    if (newByUser == lanesByUser
        && !promotesOtherwise
        && newDefault == preemptibleByDefault
        && newExceedLimit.equals(exceedLimit)) {
      return;
    }
    List<LiveJob> waiting = waitingInLanes();
    lanes.clear();
    waitingInLanes = 0;
    lanesByUser = newByUser;
    preemptibleByDefault = newDefault;
    exceedLimit = newExceedLimit;
    waiting.forEach(this::enqueue);
  }

  /// Promotes its jobs (O7).
  public Promoter promoter() {
    return promoter;
  }

  /// The waiting jobs without a hold, lane by lane.
  public List<LiveJob> waitingInLanes() {
    List<LiveJob> waiting = new ArrayList<>(waitingInLanes);
    lanes.forEach(lane -> lane.line().copyTo(waiting));
    return waiting;
  }

  private ResolvedQueue get() {
    if (resolved == null) {
      throw new IllegalStateException("queue " + id + " is not resolved");
    }
    return resolved;
  }

  @Override
  public PolicyAccount account() {
    return get().account();
  }

  public Shape shape() {
    return get().shape();
  }

  /// Pools in routing order (O6); empty when it is not resolved.
  public List<Route> routes() {
    return resolved == null ? List.of() : resolved.routes();
  }

  /// The pools that are open to the job, in routing order: its tenant's reservations let it start
  /// there, and leave no headroom to others there (O7).
  public List<Route> routes(LiveJob job) {
    return guards.open(job, rightfulRoutes(job));
  }

  /// The pools where its tenant's reservations let the job start, in routing order.
  public List<Route> rightfulRoutes(LiveJob job) {
    return isRestricted(job) ? group().openRoutes(job.isPreemptible(), overReservation) : routes();
  }

  List<Route> rightfulRoutes(boolean preemptible) {
    return resolved == null ? List.of() : group().openRoutes(preemptible, overReservation);
  }

  /// Whether its tenant's reservations may keep such a job from some of the pools. Where tenants
  /// share a pool, that concerns non-preemptible jobs (A8), and all jobs of a queue that starts
  /// entitled ones only (A5). Headroom that others hold there may keep away any of them (O7).
  boolean isRestricted(boolean preemptible) {
    return resolved != null
        && resolved.group().isShared()
        && (!overReservation || !preemptible || !guards.byPool().isEmpty());
  }

  public boolean isRestricted(LiveJob job) {
    // The job is read last, because it is seldom in the cache.
    return resolved != null
        && resolved.group().isShared()
        && (!overReservation || !guards.byPool().isEmpty() || !job.isPreemptible());
  }

  /// The route that the job takes once all awaited nodes have reported; null: none.
  @Nullable Route prospect(LiveJob job) {
    return isRestricted(job) ? RouteGroup.prospect(routes(job)) : group().prospect();
  }

  /// The queues with the same routes.
  @Override
  public RouteGroup group() {
    return get().group();
  }

  /// Units of GPU that one job of it needs; 0 when it is not resolved.
  @Override
  public long need() {
    return need;
  }

  public ProfileId profile() {
    return get().profile().id();
  }

  public Reclaim reclaim() {
    return get().profile().reclaim();
  }

  /// Whether its jobs may preempt others although they are not entitled (P7, P10).
  boolean preemptsUnentitled() {
    return reclaim() == Reclaim.RANK || reclaim() == Reclaim.FAIR;
  }

  /// How long a job of it is passed before it holds capacity (O7).
  public Duration holdAfter() {
    return get().profile().holdAfter();
  }

  /// How long an entitled job of it waits for an elastic pool before it preempts (P6).
  public Duration preemptionDelay() {
    return get().profile().preemptionDelay();
  }

  /// A queue that is gone comes last.
  @Override
  public int rank() {
    return rank;
  }

  public boolean overReservation() {
    return overReservation;
  }

  /// Whether one job more would be within the reservation of its policy, whatever the levels above
  /// reserve.
  public boolean isEntitled() {
    return account().isEntitled(need());
  }

  boolean isPreemptible(JobSpec job) {
    return job.preemptible().orElse(preemptibleByDefault);
  }

  /// The budget that alone keeps its jobs from starting.
  public Optional<SpentBudget> closing() {
    return closing;
  }

  /// Rule A1.
  public boolean isOpen() {
    return open;
  }

  /// The standing of one job of it more by its policy and departments, whatever the tenant reserves
  /// in a pool.
  Standing standing() {
    return Levels.standingBelowTenant(account(), need());
  }

  /// The lanes in a fixed order.
  public List<Lane> lanes() {
    return lanes;
  }

  /// Counts every change of its configuration and of its lanes: derived values are old then.
  long version() {
    return version;
  }

  void laneChanged() {
    version++;
  }

  /// The guards of headroom that others hold (O7).
  public Guards<LiveJob> guards() {
    return guards;
  }

  public void setGuards(Guards<LiveJob> newGuards) {
    guards = newGuards;
    version++;
  }

  /// The waiting jobs with a hold, in order.
  public Collection<LiveJob> holders() {
    return holders;
  }

  /// The elastic pool that was asked for room for its jobs; null: none was.
  public @Nullable PoolState expects() {
    return expects;
  }

  public void setExpects(@Nullable PoolState pool) {
    expects = pool;
  }

  public Turn turn() {
    return turn;
  }

  /// The lane that the job waits in, or would.
  public Lane lane(LiveJob job) {
    Lane known = knownLane(job.spec());
    if (known != null) {
      return known;
    }
    Lane lane = new Lane(this, laneOf(job.spec()));
    lanes.add(-LaneId.find(lanes, Lane::id, lane.id()) - 1, lane);
    return lane;
  }

  /// The first rule of rights that stands in the way of the job, which is in no lane.
  public Block gate(LiveJob job) {
    return new Lane(this, laneOf(job.spec())).gate(job);
  }

  /// The lane that such a job would wait in; null: none waits there.
  public @Nullable Lane knownLane(JobSpec job) {
    if (lanesByUser) {
      int at = LaneId.find(lanes, Lane::id, laneOf(job));
      return at < 0 ? null : lanes.get(at);
    }
    for (Lane lane : lanes) {
      if (lane.isPreemptible() == isPreemptible(job)
          && lane.exceedsLimit() == exceedLimit.contains(job.user())) {
        return lane;
      }
    }
    return null;
  }

  /// Names the lane that such a job would wait in.
  public LaneId laneOf(JobSpec job) {
    return new LaneId(
        id,
        lanesByUser ? Optional.of(job.user()) : Optional.empty(),
        isPreemptible(job),
        exceedLimit.contains(job.user()));
  }

  public void enqueue(LiveJob job) {
    turn.waitsAnew(job);
    lane(job).add(job);
    waitingInLanes++;
    version++;
  }

  public void dequeue(LiveJob job) {
    Lane lane = lane(job);
    lane.remove(job);
    waitingInLanes--;
    version++;
    if (lane.line().isEmpty()) {
      lanes.remove(lane);
    }
  }

  /// The waiting jobs that pause after a rejection, in order. Callers keep it.
  public SortedSet<LiveJob> backedOff() {
    return backedOff;
  }

  /// The waiting jobs that are no candidates, for their gates or arrays, in order. Callers keep it.
  public SortedSet<LiveJob> keptBack() {
    return keptBack;
  }

  public void addHolder(LiveJob job) {
    holders.add(job);
  }

  public void removeHolder(LiveJob job) {
    holders.remove(job);
  }

  public int waiting() {
    return candidates() + keptBack.size();
  }

  public int candidates() {
    return waitingInLanes + holders.size() + backedOff.size();
  }

  /// How many attempts its candidates ask for: an array one for each element that may start.
  public long starts() {
    int beside = holders.size() + backedOff.size();
    return beside + lanes.stream().mapToLong(lane -> lane.line().starts()).sum();
  }

  public int attempts() {
    return attempts;
  }

  public void countAttempt(int change) {
    attempts += change;
  }

  /// How many waiting jobs of the queue are ahead of the job.
  public int ahead(LiveJob job) {
    int beside = holders.headSet(job).size() + backedOff.headSet(job).size();
    return beside + lanes.stream().mapToInt(lane -> lane.line().ahead(job)).sum();
  }

  @Override
  public int compareTo(QueueState other) {
    return this == other ? 0 : id.compareTo(other.id);
  }
}
