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
import io.headgate.scheduler.core.rights.LevelRoom;
import io.headgate.scheduler.core.rights.PolicyAccount;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
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

  /// The policy in whose limit the victims have to make room as well; null: it has room.
  private final @Nullable PolicyAccount account;

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
    this(route, null, false);
  }

  RemovalTrial(RoomRequest request, Route route) {
    this(
        route,
        request.rule() == PreemptionRule.P9 ? request.account() : null,
        request.rule() == PreemptionRule.P1);
  }

  private RemovalTrial(Route route, @Nullable PolicyAccount limited, boolean mustBeEntitled) {
    account = limited;
    admission = new LevelRoom(route.upper(), route.need(), mustBeEntitled);
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
  /// of these levels that the job needs to preempt count as a ceiling, too.
  boolean isOverCeiling() {
    return excess > 0 || excessOfPolicy > 0 || admission.isDenied();
  }

  /// Whether victims in other pools help as well, as they make room in a limit.
  boolean gainsElsewhere() {
    return account != null || admission.isDeniedEverywhere();
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
    if (attempt.policy() == account) {
      excessOfPolicy += sign * attempt.takenUnits();
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
    Map<NodeState, Room> free = new HashMap<>();
    rooms.forEach((node, counted) -> free.put(node, counted.room));
    return GangPlacement.place(pool, shape, free);
  }
}
