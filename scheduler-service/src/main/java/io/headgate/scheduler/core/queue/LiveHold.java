package io.headgate.scheduler.core.queue;

import io.headgate.scheduler.core.job.Hold;
import io.headgate.scheduler.core.job.WorkerPlace;
import io.headgate.scheduler.core.placement.NodeState;
import io.headgate.scheduler.core.placement.PoolState;
import io.headgate.scheduler.core.placement.Room;
import io.headgate.scheduler.core.placement.Shape;
import io.headgate.scheduler.core.rights.Claim;
import io.headgate.scheduler.core.rights.Levels;
import io.headgate.scheduler.core.rights.PolicyAccount;
import io.headgate.scheduler.core.rights.TenantAccount;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// Slices that are kept for a waiting job.
public final class LiveHold {
  private final Hold hold;
  private final LiveJob job;
  private PolicyAccount policy;
  private final TenantAccount tenant;
  private final PoolState pool;
  private final Shape shape;
  private final Map<NodeState, List<WorkerPlace>> placesByNode = new LinkedHashMap<>();
  private final List<NodeState> nodes;
  private final Claim claim;

  /// Whether the claim of its job's attempt stands for its own (P11).
  private boolean claimedByAttempt;

  /// The pool's count of gains when a place elsewhere was last looked for.
  private long gainsSeen = -1;

  /// Takes the hold; nothing is accounted yet.
  ///
  /// @param tenant of the policy, in the pool
  /// @param nodes by worker
  public LiveHold(
      Hold hold,
      LiveJob job,
      PolicyAccount policy,
      TenantAccount tenant,
      PoolState pool,
      Shape shape,
      List<NodeState> nodes) {
    this.hold = hold;
    this.job = job;
    this.policy = policy;
    this.tenant = tenant;
    this.pool = pool;
    this.shape = shape;
    this.nodes = List.copyOf(nodes);
    this.claim = new Claim(job.user(), hold.place().units(), job.isPreemptible());
    for (int worker = 0; worker < nodes.size(); worker++) {
      placesByNode
          .computeIfAbsent(nodes.get(worker), key -> new ArrayList<>())
          .add(hold.place().workers().get(worker));
    }
  }

  public Hold hold() {
    return hold;
  }

  /// Whether rule O7 made it; otherwise P5 did.
  public boolean isForBlocked() {
    return hold.isForBlocked();
  }

  /// Its distinct nodes.
  public Collection<NodeState> distinctNodes() {
    return placesByNode.keySet();
  }

  /// The free capacity of one of its nodes, as if the hold were not there.
  public Room roomWithout(NodeState node) {
    Room room = Room.now(node);
    placesByNode.getOrDefault(node, List.of()).forEach(room::give);
    return room;
  }

  /// Whether the held capacity on the room's node fits into the room.
  public boolean fitsIn(Room room) {
    return room.isFree(placesByNode.getOrDefault(room.node(), List.of()));
  }

  public LiveJob job() {
    return job;
  }

  /// Whether its job has an attempt that is about to leave for this place (P11). Until then the
  /// attempt's claim stands for both: the job counts once for its user.
  public boolean isClaimedByAttempt() {
    return claimedByAttempt;
  }

  public void setClaimedByAttempt(boolean claimed) {
    claimedByAttempt = claimed;
  }

  public PolicyAccount policy() {
    return policy;
  }

  /// It counts on another policy of its tenant from now on; nothing is accounted.
  public void setPolicy(PolicyAccount account) {
    policy = account;
  }

  /// The policy's tenant, in the pool where it holds.
  public TenantAccount tenant() {
    return tenant;
  }

  /// The levels that it counts on.
  public Levels levels() {
    return new Levels(policy, tenant);
  }

  public PoolState pool() {
    return pool;
  }

  /// The nodes, by worker.
  public List<NodeState> nodes() {
    return nodes;
  }

  public Claim claim() {
    return claim;
  }

  /// The places that older holds wait for.
  public static final class Older {
    private final Map<NodeState, List<WorkerPlace>> places = new HashMap<>();
    private final Map<PoolState, Long> units = new HashMap<>();

    public void add(LiveHold hold) {
      hold.placesByNode.forEach(
          (node, own) -> places.computeIfAbsent(node, key -> new ArrayList<>()).addAll(own));
      if (!hold.claimedByAttempt) {
        units.merge(hold.pool, hold.claim.units(), Long::sum);
      }
    }
  }

  /// Whether the job can start there now.
  public boolean isReady(Older older) {
    if (!isWithinLimit() || !pool.isReady(claim.units(), older.units.getOrDefault(pool, 0L))) {
      return false;
    }
    for (Map.Entry<NodeState, List<WorkerPlace>> entry : placesByNode.entrySet()) {
      List<WorkerPlace> before = older.places.getOrDefault(entry.getKey(), List.of());
      if (!entry.getKey().isReady(entry.getValue(), before)) {
        return false;
      }
    }
    return true;
  }

  /// Whether the limits of its policy, its departments and its tenant have room for the job as long
  /// as others still stop.
  public boolean isWithinLimit() {
    return (policy.used() + claim.units() <= policy.limit() || policy.mayExceedLimit(claim.user()))
        && (claim.units() == 0 || levels().leaveRoomBesideUse(claim.units()));
  }

  /// Whether a node or device of it no longer takes work, or is in another pool now. A hold waits
  /// for a node that a new leader waits for (P5).
  public boolean isBroken() {
    for (NodeState node : nodes) {
      if (!node.willTakeWork() || !node.poolId().equals(pool.id())) {
        return true;
      }
    }
    for (Map.Entry<NodeState, List<WorkerPlace>> entry : placesByNode.entrySet()) {
      if (!entry.getKey().offers(entry.getValue())) {
        return true;
      }
    }
    return false;
  }

  /// Whether the job could still be given this place as things are configured now.
  ///
  /// @param behind units that blocked jobs hold in the pool (O7). They wait for room below its
  ///   ceiling, so they leave this place to the job
  public boolean isStillDue(long behind) {
    return isOfItsQueue()
        && job.queue().isOpen()
        && isWithinRights()
        && (claim.units() == 0 || pool.excessSoon(0) <= behind);
  }

  /// Whether it still has the size that its queue's configuration demands now.
  public boolean isOfItsQueue() {
    QueueState queue = job.queue();
    if (queue.resolved().isEmpty()
        || queue.account() != policy
        || !queue.shape().equals(shape)
        || claim.preemptible() != job.isPreemptible()) {
      return false;
    }
    for (Route route : queue.routes()) {
      if (route.pool() == pool) {
        return true;
      }
    }
    return false;
  }

  /// Its claim is already part of the charged units.
  private boolean isWithinRights() {
    Levels levels = levels();
    return (claim.units() == 0 || levels.keepLimitsAbove())
        && (policy.usageWithoutStopping() <= policy.limit() || policy.mayExceedLimit(claim.user()))
        && policy.charged(claim.user()) <= policy.perUserLimit()
        && (job.queue().overReservation() || levels.isEntitled(0))
        && (claim.preemptible() || levels.keepNonPreemptible());
  }

  /// Whether more has become free in its job's pools since it was [#searched] for last.
  public boolean isWorthAnotherSearch() {
    return gains() != gainsSeen;
  }

  public void searched() {
    gainsSeen = gains();
  }

  private long gains() {
    long gains = 0;
    for (Route route : job.queue().routes()) {
      gains += route.pool().gains();
    }
    return gains;
  }
}
