package io.headgate.scheduler.core.preemption;

import io.headgate.scheduler.core.job.Assignment;
import io.headgate.scheduler.core.placement.GangPlacement;
import io.headgate.scheduler.core.placement.NodeState;
import io.headgate.scheduler.core.placement.PoolState;
import io.headgate.scheduler.core.placement.Room;
import io.headgate.scheduler.core.placement.Shape;
import io.headgate.scheduler.core.queue.LiveAttempt;
import io.headgate.scheduler.core.queue.Route;
import java.util.Map;
import java.util.TreeMap;

/// Would a job fit in a pool without certain attempts, and when everything that stops has stopped?
/// Kept as a count of the workers that fit, so that an attempt more or less costs its own nodes
/// only.
final class Tally {
  private final PoolState pool;
  private final Shape shape;
  private final Map<NodeState, Room> rooms = new TreeMap<>();
  private long workers;
  private long excess;

  Tally(Route route) {
    pool = route.pool();
    shape = route.ranking().shape();
    workers = route.ranking().workers();
    // The ceiling counts GPUs, so it never stands in the way of a job without.
    excess = shape.units() == 0 ? Long.MIN_VALUE / 2 : pool.excessSoon(shape.needUnits());
    for (NodeState node : pool.stoppingNodes()) {
      room(node);
    }
  }

  PoolState pool() {
    return pool;
  }

  Shape shape() {
    return shape;
  }

  boolean fits() {
    return excess <= 0 && workers >= shape.workers();
  }

  /// Whether only the pool's ceiling is in the way.
  boolean isOverCeiling() {
    return excess > 0;
  }

  void remove(LiveAttempt attempt) {
    excess -= attempt.units();
    for (int worker = 0; worker < attempt.workers(); worker++) {
      NodeState node = attempt.nodes().get(worker);
      if (offers(node)) {
        Room room = room(node);
        workers -= room.workers(shape);
        room.give(attempt.assignment().workers().get(worker));
        workers += room.workers(shape);
      }
    }
  }

  void restore(LiveAttempt attempt) {
    excess += attempt.units();
    for (int worker = 0; worker < attempt.workers(); worker++) {
      NodeState node = attempt.nodes().get(worker);
      if (offers(node)) {
        Room room = room(node);
        workers -= room.workers(shape);
        room.takeBack(attempt.assignment().workers().get(worker));
        workers += room.workers(shape);
      }
    }
  }

  /// Whether the job could run on the node.
  boolean offers(NodeState node) {
    return node.takesWork() && node.pool() == pool;
  }

  /// What is free on the node without the removed attempts.
  Room room(NodeState node) {
    Room known = rooms.get(node);
    if (known != null) {
      return known;
    }
    Room room = Room.soon(node);
    workers += room.workers(shape) - Room.now(node).workers(shape);
    rooms.put(node, room);
    return room;
  }

  /// The places. Only when it fits; the tally is used up by it.
  Assignment place() {
    return GangPlacement.place(pool, shape, rooms);
  }
}
