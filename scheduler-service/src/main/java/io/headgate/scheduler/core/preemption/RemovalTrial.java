package io.headgate.scheduler.core.preemption;

import io.headgate.scheduler.core.job.Assignment;
import io.headgate.scheduler.core.job.PreemptionRule;
import io.headgate.scheduler.core.placement.FitAfterReports;
import io.headgate.scheduler.core.placement.GangPlacement;
import io.headgate.scheduler.core.placement.NodeState;
import io.headgate.scheduler.core.placement.PoolState;
import io.headgate.scheduler.core.placement.Room;
import io.headgate.scheduler.core.placement.Shape;
import io.headgate.scheduler.core.queue.LiveAttempt;
import io.headgate.scheduler.core.queue.RoomRequest;
import io.headgate.scheduler.core.queue.Route;
import io.headgate.scheduler.core.rights.FairExchange;
import io.headgate.scheduler.core.rights.LevelRoom;
import io.headgate.scheduler.core.rights.Levels;
import io.headgate.scheduler.core.rights.PolicyAccount;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Whether a job would fit in a pool without certain attempts, and when everything that stops has
/// stopped. It counts the workers that fit, so removing or restoring an attempt costs its own nodes
/// only.
///
/// Nodes that a new leader waits for count as if they had reported. No attempt is preempted before
/// they have, and promises made meanwhile must match the later findings.
final class RemovalTrial {
  private final PoolState pool;
  private final Shape shape;
  private final Map<NodeState, Counted> rooms = new HashMap<>();

  /// Null: it preempts nothing.
  private final @Nullable RoomRequest request;

  /// The policy in whose limit the victims have to make room as well; null: it has room.
  private final @Nullable PolicyAccount account;

  /// Null: shares play no part.
  private final @Nullable FairExchange shares;

  private final Set<LiveAttempt> ofOthers = new LinkedHashSet<>();
  private long ownUnits;
  private long workers;
  private long excess;
  private long excessOfPolicy = Long.MIN_VALUE / 2;
  private final LevelRoom admission;

  /// The room on a node, and the number of workers of the shape that fit in it.
  private final class Counted {
    final Room room;
    int workers;

    Counted(Room room) {
      this.room = room;
      workers = room.workers(shape);
    }

    void count() {
      int before = workers;
      workers = room.workers(shape);
      RemovalTrial.this.workers += workers - before;
    }
  }

  /// A trial for a job that preempts nothing.
  RemovalTrial(Route route) {
    this(null, route);
  }

  RemovalTrial(@Nullable RoomRequest request, Route route) {
    this.request = request;
    account = request == null || !request.within() ? null : request.account();
    shares =
        request != null && request.rule() == PreemptionRule.P10
            ? new FairExchange(levels(request, route), route.need())
            : null;
    admission = new LevelRoom(route.upper(), route.need());
    pool = route.pool();
    shape = route.ranking().shape();
    workers = route.ranking().workers();
    // The ceiling counts GPUs, so it never stands in the way of a job without.
    excess = shape.units() == 0 ? Long.MIN_VALUE / 2 : pool.excessSoon(shape.needUnits());
    if (account != null) {
      excessOfPolicy = account.usageWithoutStopping() + shape.needUnits() - account.limit();
    }
    for (NodeState node : pool.stoppingNodes()) {
      room(node);
    }
    for (NodeState node : pool.awaitedNodes()) {
      if (FitAfterReports.mayFit(node, shape)) {
        room(node);
      }
    }
  }

  private static Levels levels(RoomRequest request, Route route) {
    return new Levels(Objects.requireNonNull(request.account()), route.tenant());
  }

  PoolState pool() {
    return pool;
  }

  Shape shape() {
    return shape;
  }

  boolean fits() {
    return !isOverCeiling() && hasNodes();
  }

  /// Whether all workers fit on nodes, whatever the ceilings.
  boolean hasNodes() {
    return workers >= shape.workers();
  }

  /// Whether a ceiling is in the way: the pool's, the policy's, or one of the levels above. Rights
  /// that the job needs to preempt count as a ceiling, too.
  boolean isOverCeiling() {
    return excess > 0 || excessOfPolicy > 0 || admission.isAboveLimit() || !isPermitted();
  }

  /// Whether the job may take the places of exactly those that are removed, as far as all of them
  /// together go. By P1 it must be entitled without them. By P9 its policy may use no more than
  /// before, or than its reservation. By P10 no share may become larger than that of a victim.
  private boolean isPermitted() {
    if (request == null) {
      return true;
    }
    if (account != null
        && ownUnits > 0
        && account.usageWithoutStopping() - ownUnits + shape.needUnits()
            > Math.max(account.usageWithoutStopping(), account.reservation())) {
      return false;
    }
    return switch (request.rule()) {
      case P1 -> (ofOthers.isEmpty() && request.within()) || isEntitled();
      case P10 -> areSharesKept();
      case P7, P9, P11 -> true;
    };
  }

  private boolean isEntitled() {
    return (account == null
            || account.usageWithoutStopping() - ownUnits + shape.needUnits()
                <= account.reservation())
        && admission.isEntitled();
  }

  private boolean areSharesKept() {
    for (LiveAttempt victim : ofOthers) {
      if (shares != null
          && !(shares.isLarger(victim.levels()) && shares.staysAsLarge(victim.levels(), 0))) {
        return false;
      }
    }
    return true;
  }

  /// Whether victims in other pools help as well, as they make room in a limit.
  boolean gainsElsewhere() {
    return account != null
        || admission.isDeniedEverywhere(request != null && request.rule() == PreemptionRule.P1);
  }

  /// Whether it may help that the victim goes: it is in the pool, or it makes room in a limit.
  boolean gainsBy(LiveAttempt victim) {
    return victim.pool() == pool
        || isOwn(victim)
        || admission.isDeniedEverywhere(request != null && request.rule() == PreemptionRule.P1);
  }

  private boolean isOwn(LiveAttempt victim) {
    return request != null && request.isOwn(victim);
  }

  /// Whether the job would fit with this room on these nodes, of any pools, and with `units` less
  /// under the pool's ceiling. Valid only while nothing was removed.
  boolean fitsWith(Collection<Room> emptied, long units) {
    long more = 0;
    for (Room room : emptied) {
      if (offers(room.node()) && workers + more < shape.workers()) {
        more += room.workers(shape) - Room.soon(room.node()).workers(shape);
      }
    }
    return excess <= units && workers + more >= shape.workers();
  }

  void remove(LiveAttempt attempt) {
    count(attempt, -1);
    for (int worker = 0; worker < attempt.workers(); worker++) {
      NodeState node = attempt.nodes().get(worker);
      if (offers(node)) {
        Counted counted = counted(node);
        counted.room.give(attempt.share(worker));
        counted.count();
      }
    }
  }

  private void count(LiveAttempt attempt, int sign) {
    if (attempt.pool() == pool) {
      excess += sign * attempt.takenUnits();
    }
    admission.remove(attempt.levels(), -sign * attempt.takenUnits());
    if (shares != null) {
      shares.remove(attempt.levels(), -sign * attempt.takenUnits());
    }
    if (attempt.policy() == account) {
      excessOfPolicy += sign * attempt.takenUnits();
    }
    if (isOwn(attempt)) {
      ownUnits -= sign * attempt.takenUnits();
    } else if (request == null || request.isEntitledOnly()) {
      return; // It makes no difference whose they are.
    } else if (sign < 0) {
      ofOthers.add(attempt);
    } else {
      ofOthers.remove(attempt);
    }
  }

  void restore(LiveAttempt attempt) {
    count(attempt, 1);
    for (int worker = 0; worker < attempt.workers(); worker++) {
      NodeState node = attempt.nodes().get(worker);
      if (offers(node)) {
        Counted counted = counted(node);
        counted.room.takeBack(attempt.share(worker));
        counted.count();
      }
    }
  }

  /// Whether the job could run on the node.
  boolean offers(NodeState node) {
    return node.willTakeWork() && node.poolId().equals(pool.id());
  }

  /// The room on the node without the removed attempts.
  Room room(NodeState node) {
    return counted(node).room;
  }

  /// How many workers fit there without the removed attempts.
  int workers(NodeState node) {
    return counted(node).workers;
  }

  private Counted counted(NodeState node) {
    Counted known = rooms.get(node);
    if (known != null) {
      return known;
    }
    Counted counted = new Counted(Room.soon(node));
    if (node.isAwaited()) {
      workers += counted.workers;
    } else if (node.hasStopping()) {
      workers += counted.workers - Room.now(node).workers(shape);
    }
    rooms.put(node, counted);
    return counted;
  }

  /// The places. Only when it fits; the trial is used up by it.
  Assignment place() {
    return GangPlacement.place(pool, shape, rooms());
  }

  /// The rooms without the removed attempts, of all nodes that the trial has looked at.
  Map<NodeState, Room> rooms() {
    Map<NodeState, Room> free = new HashMap<>();
    rooms.forEach((node, counted) -> free.put(node, counted.room));
    return free;
  }
}
