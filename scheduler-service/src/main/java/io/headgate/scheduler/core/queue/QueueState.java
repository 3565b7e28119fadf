package io.headgate.scheduler.core.queue;

import io.headgate.scheduler.core.catalog.Policy;
import io.headgate.scheduler.core.catalog.Profile;
import io.headgate.scheduler.core.catalog.Queue;
import io.headgate.scheduler.core.catalog.QueueId;
import io.headgate.scheduler.core.catalog.Reclaim;
import io.headgate.scheduler.core.catalog.UserId;
import io.headgate.scheduler.core.explain.LaneId;
import io.headgate.scheduler.core.job.JobSpec;
import io.headgate.scheduler.core.placement.PoolState;
import io.headgate.scheduler.core.placement.Shape;
import io.headgate.scheduler.core.rights.PolicyAccount;
import io.headgate.scheduler.core.rights.Standing;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/// One queue: its configuration, resolved, and its waiting jobs.
public final class QueueState implements Comparable<QueueState> {
  /// A queue with everything that its configuration refers to.
  public record Resolved(
      Queue queue, Profile profile, Shape shape, PolicyAccount account, RouteGroup group) {
    public List<Route> routes() {
      return group.routes();
    }
  }

  private static final Comparator<LaneId> LANE_ORDER =
      Comparator.comparing((LaneId lane) -> lane.user().isPresent() ? lane.user().get().name() : "")
          .thenComparing(LaneId::preemptible)
          .thenComparing(LaneId::exceedsLimit);

  private final QueueId id;
  private @Nullable Queue queue;
  private @Nullable Resolved resolved;
  private final TreeMap<LaneId, Lane> lanes = new TreeMap<>(LANE_ORDER);
  private final TreeSet<LiveJob> holders = new TreeSet<>(LiveJob.ORDER);
  private int waitingInLanes;
  private boolean lanesByUser;
  private boolean preemptibleByDefault = true;
  private Set<UserId> exceedLimit = Set.of();
  private int attempts;
  private final Turn turn = new Turn(this);
  private @Nullable PoolState expects;

  public QueueState(QueueId id) {
    this.id = id;
  }

  public QueueId id() {
    return id;
  }

  /// Absent when the queue is not provisioned, or was removed while it had jobs.
  public Optional<Queue> queue() {
    return Optional.ofNullable(queue);
  }

  /// Absent when the queue's profile or policy is not provisioned.
  public Optional<Resolved> resolved() {
    return Optional.ofNullable(resolved);
  }

  /// Takes a new configuration. Its waiting jobs find their lanes anew where these are other ones.
  public void configure(@Nullable Queue newQueue, @Nullable Resolved newResolved) {
    queue = newQueue;
    resolved = newResolved;
    boolean newByUser = newResolved != null && newResolved.account().limitsUsers();
    boolean newDefault =
        newResolved == null || newResolved.account().policy().map(Policy::preemptible).orElse(true);
    Set<UserId> newExceedLimit =
        newResolved == null
            ? Set.of()
            : newResolved.account().policy().map(Policy::exceedLimit).orElse(Set.of());
    if (newByUser == lanesByUser
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

  /// The waiting jobs that nothing is held for, lane by lane.
  public List<LiveJob> waitingInLanes() {
    List<LiveJob> waiting = new ArrayList<>(waitingInLanes);
    for (Lane lane : lanes.values()) {
      lane.line().copyTo(waiting);
    }
    return waiting;
  }

  private Resolved get() {
    if (resolved == null) {
      throw new IllegalStateException("queue " + id + " is not resolved");
    }
    return resolved;
  }

  public PolicyAccount account() {
    return get().account();
  }

  public Shape shape() {
    return get().shape();
  }

  /// Pools in routing order (DESIGN O6); empty when it is not resolved.
  public List<Route> routes() {
    return resolved == null ? List.of() : resolved.routes();
  }

  /// The pools that are open to the job.
  public List<Route> routes(LiveJob job) {
    return !group().isShared() || job.isPreemptible()
        ? group().routes()
        : group().routesForNonPreemptible();
  }

  /// The first route on which a job fits now; null: none.
  @Nullable Route route(boolean preemptible) {
    if (preemptible || !group().isShared()) {
      return group().route();
    }
    for (Route route : group().routesForNonPreemptible()) {
      if (route.fits()) {
        return route;
      }
    }
    return null;
  }

  /// Whether its tenant's reservation keeps a job that nobody may preempt from every pool, or from
  /// those where it would fit now (DESIGN A3, A8): then others of the queue go before it.
  boolean lacksTenantReservation() {
    if (!group().isShared()) {
      return false;
    }
    boolean someAdmit = false;
    boolean someFit = false;
    for (Route route : routes()) {
      boolean admits = route.admitsNonPreemptible();
      boolean fits = route.fits();
      if (admits && fits) {
        return false;
      }
      someAdmit |= admits;
      someFit |= fits;
    }
    return !someAdmit || someFit;
  }

  /// The queues with the same routes.
  public RouteGroup group() {
    return get().group();
  }

  public long need() {
    return get().shape().needUnits();
  }

  public Reclaim reclaim() {
    return get().profile().reclaim();
  }

  /// How long a job of it is passed before it holds capacity (DESIGN O7).
  public Duration holdAfter() {
    return get().profile().holdAfter();
  }

  /// How long an entitled job of it waits for an elastic pool before it preempts (DESIGN P6).
  public Duration preemptionDelay() {
    return get().profile().preemptionDelay();
  }

  /// A queue that is gone comes last.
  public int rank() {
    return queue == null ? Integer.MAX_VALUE : queue.rank();
  }

  public boolean overReservation() {
    return get().queue().overReservation();
  }

  /// DESIGN O1.
  public boolean isEntitled() {
    return account().isEntitled(need());
  }

  boolean isPreemptible(JobSpec job) {
    return job.preemptible().orElse(preemptibleByDefault);
  }

  /// DESIGN A1.
  public boolean isOpen() {
    return get().queue().open();
  }

  /// Where its policy would stand with one job of it more.
  public Standing standing() {
    return account().standingWith(need());
  }

  /// What the supply says to all its jobs alike; of several pools the first is named.
  Block supplyBlock() {
    for (Route route : routes()) {
      if (route.fits()) {
        return Block.NONE;
      }
    }
    if (expects != null) {
      return Block.PROVIDER;
    }
    Route route = routes().getFirst();
    PoolState first = route.pool();
    if (!route.hasRoomForTenant()) {
      return Block.TENANT_LIMIT;
    }
    if (need() > 0 && first.usedUnits() + need() > first.ceiling()) {
      return Block.POOL_CAPACITY;
    }
    if (route.ranking().holderInTheWay().isPresent()) {
      return Block.HOLD;
    }
    return first.readyNodes() == 0 || first.idleUnits() < need()
        ? Block.CAPACITY
        : Block.FRAGMENTATION;
  }

  public Collection<Lane> lanes() {
    return lanes.values();
  }

  /// Jobs that wait and that something is held for, in order.
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
    LaneId lane = laneOf(job.spec());
    return lanes.computeIfAbsent(lane, key -> new Lane(this, key));
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
    lane(job).line().add(job);
    waitingInLanes++;
  }

  public void dequeue(LiveJob job) {
    Lane lane = lane(job);
    lane.line().remove(job);
    waitingInLanes--;
    if (lane.line().isEmpty()) {
      lanes.remove(lane.id());
    }
  }

  public void addHolder(LiveJob job) {
    holders.add(job);
  }

  public void removeHolder(LiveJob job) {
    holders.remove(job);
  }

  public int waiting() {
    return waitingInLanes + holders.size();
  }

  public int attempts() {
    return attempts;
  }

  public void countAttempt(int change) {
    attempts += change;
  }

  /// How many waiting jobs of the queue are ahead of the job.
  public int ahead(LiveJob job) {
    int ahead = holders.headSet(job).size();
    for (Lane lane : lanes.values()) {
      ahead += lane.line().ahead(job);
    }
    return ahead;
  }

  @Override
  public int compareTo(QueueState other) {
    return this == other ? 0 : id.compareTo(other.id);
  }
}
