package io.headgate.scheduler.core.queue;

import io.headgate.scheduler.core.catalog.Reclaim;
import io.headgate.scheduler.core.job.PreemptionRule;
import io.headgate.scheduler.core.rights.Levels;
import io.headgate.scheduler.core.rights.PolicyAccount;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// A candidate's request for room by preemption, reduced to the facts that decide the outcome. Two
/// equal requests find the same room.
///
/// @param group its routes in routing order; the shape is theirs
/// @param reclaim which jobs are possible victims under P1 and P7
/// @param account the policy of the job; null under P1, where only the group's levels above it make
///   a difference. A policy whose job is entitled is not above its reservation, so none of its jobs
///   is a victim
/// @param rank of the queue under P7; 0 otherwise
/// @param priority of the job under P9; 0 otherwise
/// @param job under P1 the job itself, if its policy has suspended attempts: only those behind it
///   are possible victims; otherwise null
/// @param anywhere whether all routes are open to it; otherwise it is non-preemptible, and only
///   those routes are open where its tenant's reservation has room (A3, A8)
public record RoomRequest(
    PreemptionRule rule,
    RouteGroup group,
    Reclaim reclaim,
    @Nullable PolicyAccount account,
    int rank,
    int priority,
    @Nullable LiveJob job,
    boolean anywhere) {

  /// The ways in which a candidate may make room, in the order in which it tries them.
  public static List<RoomRequest> of(Turn turn) {
    List<RoomRequest> requests = new ArrayList<>(2);
    LiveJob head = turn.head();
    if (head == null) {
      return requests;
    }
    QueueState queue = turn.queue();
    PolicyAccount account = queue.account();
    RouteGroup group = queue.group();
    boolean anywhere = !group.isShared() || head.isPreemptible();
    boolean isEntitled = queue.isEntitled();
    boolean isWithinLimit = isEntitled || account.hasRoom(queue.need());
    if (isEntitled && turn.gate() != Block.LIMIT) {
      requests.add(entitled(group, queue.reclaim(), anywhere));
    }
    if (isWithinLimit
        && queue.reclaim() == Reclaim.RANK
        && queue.overReservation()
        && (turn.mayStart() || turn.gate() == Block.DEPARTMENT_LIMIT)
        && !isEntitledEverywhere(queue)) {
      requests.add(outranking(group, account, queue.rank(), anywhere));
    }
    if (account.preemptsWithin()
        && (queue.overReservation() || isEntitledEverywhere(queue))
        && (turn.mayStart() ? isWithinLimit : mayStartBesidesLimits(turn))) {
      requests.add(within(group, account, head.priority(), anywhere));
    }
    return requests;
  }

  /// Whether a job of the queue would be entitled in each of its pools as things stand.
  private static boolean isEntitledEverywhere(QueueState queue) {
    if (!Levels.isEntitledBelowTenant(queue.account(), queue.need())) {
      return false;
    }
    for (Route route : queue.group().isShared() ? queue.routes() : List.<Route>of()) {
      if (route.upper().denying(route.need()) != null) {
        return false;
      }
    }
    return true;
  }

  /// Whether rights would let the candidate start if its policy's and departments' limits left
  /// room.
  private static boolean mayStartBesidesLimits(Turn turn) {
    QueueState queue = turn.queue();
    return turn.gate() == Block.LIMIT
        || (turn.gate() == Block.DEPARTMENT_LIMIT
            && (queue.overReservation()
                || Levels.isEntitledBelowTenant(queue.account(), queue.need())));
  }

  /// An entitled job.
  public static RoomRequest entitled(RouteGroup group, Reclaim reclaim, boolean anywhere) {
    return new RoomRequest(PreemptionRule.P1, group, reclaim, null, 0, 0, null, anywhere);
  }

  /// A job that outranks others above their reservation.
  public static RoomRequest outranking(
      RouteGroup group, PolicyAccount account, int rank, boolean anywhere) {
    return new RoomRequest(
        PreemptionRule.P7, group, Reclaim.RANK, account, rank, 0, null, anywhere);
  }

  /// A job of higher priority than others of its policy.
  public static RoomRequest within(
      RouteGroup group, PolicyAccount account, int priority, boolean anywhere) {
    return new RoomRequest(
        PreemptionRule.P9, group, Reclaim.RESERVATION, account, 0, priority, null, anywhere);
  }

  /// The same for a job some of whose policy are suspended.
  public RoomRequest withJob(LiveJob asking) {
    return rule == PreemptionRule.P1
        ? new RoomRequest(rule, group, reclaim, account, rank, priority, asking, anywhere)
        : this;
  }

  /// Units of GPU that the job needs.
  public long need() {
    return group.routes().isEmpty() ? 0 : group.routes().getFirst().need();
  }

  public List<Route> routes() {
    return anywhere ? group.routes() : group.routesForNonPreemptible();
  }
}
