package io.headgate.scheduler.core.queue;

import io.headgate.scheduler.core.catalog.PoolId;
import io.headgate.scheduler.core.catalog.ProfileId;
import io.headgate.scheduler.core.catalog.Reclaim;
import io.headgate.scheduler.core.job.PreemptionRule;
import io.headgate.scheduler.core.rights.Levels;
import io.headgate.scheduler.core.rights.PolicyAccount;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// A candidate's request for room by preemption, reduced to the facts that decide the outcome. Two
/// equal requests find the same room.
///
/// @param rule the right over jobs of other policies: P1, P7 or P10; P9: there is none
/// @param within whether jobs of its own policy may go as well, or alone (P9)
/// @param group its routes in routing order; the shape is theirs
/// @param reclaim which jobs are possible victims under P1
/// @param account the policy of the job; null under P1 alone. Then only the levels above it make a
///   difference, which are the group's: none of an entitled job's policy is a victim
/// @param profile of the job; null under P1 alone
/// @param rank of the queue; 0 under P1 alone
/// @param priority of the job under P9; 0 otherwise
/// @param job under P1 the job itself, if its policy has suspended attempts: only those behind it
///   are possible victims; otherwise null
/// @param anywhere whether all routes are open to it; otherwise it is non-preemptible, and only
///   those routes are open where its tenant's reservation has room (A3, A8)
/// @param left the pools in which it leaves its tenant's headroom to others (O7)
public record RoomRequest(
    PreemptionRule rule,
    boolean within,
    RouteGroup group,
    Reclaim reclaim,
    @Nullable PolicyAccount account,
    @Nullable ProfileId profile,
    int rank,
    int priority,
    @Nullable LiveJob job,
    boolean anywhere,
    Set<PoolId> left) {

  /// The ways in which a candidate may make room, in the order in which it tries them.
  ///
  /// | the job | its requests |
  /// |---|---|
  /// | entitled as far as its policy goes | P1, together with P9 |
  /// | not entitled, `reclaim: rank` or `fair` | P7 or P10, together with P9 |
  /// | not entitled, unless jobs of its policy go | P1 together with P9 |
  ///
  /// @param barred whether only P1 is open to it
  public static List<RoomRequest> of(Turn turn, boolean barred) {
    List<RoomRequest> requests = new ArrayList<>(2);
    LiveJob head = turn.head();
    if (head == null) {
      return requests;
    }
    QueueState queue = turn.queue();
    PolicyAccount account = queue.account();
    boolean isEntitled = queue.isEntitled();
    boolean isWithinLimit = isEntitled || account.hasRoom(queue.need());
    boolean mayPreemptNow = turn.mayStart() || turn.gate() == Block.DEPARTMENT_LIMIT;
    boolean within =
        account.preemptsWithin()
            && !barred
            && queue.need() > 0
            && (queue.overReservation() || isEntitledEverywhere(queue))
            && (turn.mayStart() ? isWithinLimit : mayStartBesidesLimits(turn));
    if (isEntitled && turn.gate() != Block.LIMIT) {
      requests.add(
          within
              ? of(PreemptionRule.P1, true, queue, head)
              : new RoomRequest(
                  PreemptionRule.P1,
                  false,
                  queue.group(),
                  queue.reclaim(),
                  null,
                  null,
                  0,
                  0,
                  null,
                  isOpenAnywhere(queue, head),
                  queue.guards().left(head)));
    }
    PreemptionRule right = rightOf(queue.reclaim());
    if (right != null
        && !barred
        && queue.overReservation()
        && ((isWithinLimit && mayPreemptNow) || within)
        && !isEntitledEverywhere(queue)) {
      requests.add(of(right, within, queue, head));
    }
    if (within && !(isEntitled && turn.gate() != Block.LIMIT)) {
      boolean mayBecomeEntitled = queue.need() <= account.reservation();
      if (mayBecomeEntitled || right == null) {
        requests.add(
            of(mayBecomeEntitled ? PreemptionRule.P1 : PreemptionRule.P9, true, queue, head));
      }
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

  /// The right of a job that is not entitled over jobs of other policies; null: none.
  private static @Nullable PreemptionRule rightOf(Reclaim reclaim) {
    return switch (reclaim) {
      case RANK -> PreemptionRule.P7;
      case FAIR -> PreemptionRule.P10;
      case RESERVATION, STRICT -> null;
    };
  }

  private static boolean isOpenAnywhere(QueueState queue, LiveJob head) {
    return !queue.group().isShared() || head.isPreemptible();
  }

  private static RoomRequest of(
      PreemptionRule rule, boolean within, QueueState queue, LiveJob head) {
    return new RoomRequest(
        rule,
        within,
        queue.group(),
        queue.reclaim(),
        queue.account(),
        queue.profile(),
        queue.rank(),
        within ? head.priority() : 0,
        null,
        isOpenAnywhere(queue, head),
        queue.guards().left(head));
  }

  /// An entitled job whose policy has no right of preemption of its own.
  public static RoomRequest entitled(RouteGroup group, Reclaim reclaim, boolean anywhere) {
    return new RoomRequest(
        PreemptionRule.P1, false, group, reclaim, null, null, 0, 0, null, anywhere, Set.of());
  }

  /// The same for a job some of whose policy are suspended.
  public RoomRequest withJob(LiveJob asking) {
    return rule == PreemptionRule.P1
        ? new RoomRequest(
            rule, within, group, reclaim, account, profile, rank, priority, asking, anywhere, left)
        : this;
  }

  /// The same for a job that takes nothing from other policies; null: then it has no right.
  public @Nullable RoomRequest withinOnly() {
    return within
        ? new RoomRequest(
            PreemptionRule.P9,
            true,
            group,
            reclaim,
            account,
            profile,
            rank,
            priority,
            null,
            anywhere,
            left)
        : null;
  }

  /// Whether P1 is the only right.
  public boolean isEntitledOnly() {
    return rule == PreemptionRule.P1 && !within;
  }

  /// Whether the victim goes by P9.
  public boolean isOwn(LiveAttempt victim) {
    return within && victim.policy() == account && !victim.isSuspended();
  }

  /// The rule by which the victim goes.
  public PreemptionRule ruleOf(LiveAttempt victim) {
    return isOwn(victim) ? PreemptionRule.P9 : rule;
  }

  /// Units of GPU that the job needs.
  public long need() {
    return group.routes().isEmpty() ? 0 : group.routes().getFirst().need();
  }

  public List<Route> routes() {
    List<Route> open = anywhere ? group.routes() : group.routesForNonPreemptible();
    return left.isEmpty()
        ? open
        : open.stream().filter(route -> !left.contains(route.pool().id())).toList();
  }
}
