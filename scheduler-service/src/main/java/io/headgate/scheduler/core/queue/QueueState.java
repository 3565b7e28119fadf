package io.headgate.scheduler.core.queue;

import io.headgate.scheduler.core.catalog.Policy;
import io.headgate.scheduler.core.catalog.Profile;
import io.headgate.scheduler.core.catalog.Queue;
import io.headgate.scheduler.core.catalog.QueueId;
import io.headgate.scheduler.core.catalog.Reclaim;
import io.headgate.scheduler.core.explain.LaneId;
import io.headgate.scheduler.core.job.JobSpec;
import io.headgate.scheduler.core.placement.PoolState;
import io.headgate.scheduler.core.placement.Shape;
import io.headgate.scheduler.core.rights.PolicyAccount;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/// One queue: its configuration, resolved, and its waiting jobs.
public final class QueueState implements Comparable<QueueState> {
  /// A queue with everything that its configuration refers to.
  public record Resolved(
      Queue queue, Profile profile, Shape shape, PolicyAccount account, List<Route> routes) {}

  private static final Comparator<LaneId> LANE_ORDER =
      Comparator.comparing((LaneId lane) -> lane.user().isPresent() ? lane.user().get().name() : "")
          .thenComparing(LaneId::preemptible);

  private final QueueId id;
  private @Nullable Queue queue;
  private @Nullable Resolved resolved;
  private final TreeMap<LaneId, Lane> lanes = new TreeMap<>(LANE_ORDER);
  private final TreeSet<LiveJob> holders = new TreeSet<>(LiveJob.ORDER);
  private int waitingInLanes;
  private boolean lanesByUser;
  private boolean preemptibleByDefault = true;
  private int attempts;
  private final Turn turn = new Turn(this);

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
    if (newByUser == lanesByUser && newDefault == preemptibleByDefault) {
      return;
    }
    List<LiveJob> waiting = waitingInLanes();
    lanes.clear();
    waitingInLanes = 0;
    lanesByUser = newByUser;
    preemptibleByDefault = newDefault;
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

  public long need() {
    return get().shape().needUnits();
  }

  public Reclaim reclaim() {
    return get().profile().reclaim();
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

  /// What rights say to all its jobs alike.
  Block gate() {
    Resolved all = get();
    if (!all.queue().open()) {
      return Block.CLOSED;
    }
    return all.account().charged() + need() > all.account().limit() ? Block.LIMIT : Block.NONE;
  }

  /// What the supply says to all its jobs alike; of several pools the first is named.
  Block supplyBlock() {
    for (Route route : routes()) {
      if (route.fits()) {
        return Block.NONE;
      }
    }
    PoolState first = routes().getFirst().pool();
    if (!first.hasRoom(need())) {
      return Block.POOL_CAPACITY;
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
        id, lanesByUser ? Optional.of(job.user()) : Optional.empty(), isPreemptible(job));
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
