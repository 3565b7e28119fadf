package io.headgate.scheduler.core.placement;

import io.headgate.scheduler.core.job.Assignment;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/// Where a job will fit as soon as nodes have reported that a new leader waits for.
///
/// A job of 3 workers; a node that has reported has room for 2, one that has not for 4: two start
/// here and one there, but not yet.
public final class FitAfterReports {
  private FitAfterReports() {}

  /// Whether a job that fits nowhere now will fit then; no, when it needs none of these nodes, or
  /// the pool's ceiling forbids it.
  public static boolean fits(PoolState pool, Ranking ranking) {
    return !rooms(pool, ranking).isEmpty();
  }

  /// The place for such a job; empty when it will not fit.
  public static Optional<Assignment> place(PoolState pool, Ranking ranking) {
    Map<NodeState, Room> rooms = rooms(pool, ranking);
    return rooms.isEmpty()
        ? Optional.empty()
        : Optional.of(GangPlacement.place(pool, ranking.shape(), rooms));
  }

  /// As many of these nodes as the job needs; none when all are too few.
  private static Map<NodeState, Room> rooms(PoolState pool, Ranking ranking) {
    Shape shape = ranking.shape();
    if (pool.awaitedNodes().isEmpty() || !pool.hasRoom(shape.needUnits())) {
      return Map.of();
    }
    long missing = shape.workers() - ranking.workers();
    Map<NodeState, Room> rooms = new HashMap<>();
    for (NodeState node : pool.awaitedNodes()) {
      if (missing <= 0) {
        break;
      }
      if (!mayFit(node, shape)) {
        continue;
      }
      Room room = Room.now(node);
      int workers = room.workers(shape);
      if (workers > 0) {
        rooms.put(node, room);
        missing -= workers;
      }
    }
    return missing > 0 ? Map.of() : rooms;
  }

  /// Whether a worker may fit on the node, if only when everything that stops has stopped. When
  /// jobs wait most nodes are full, and this is asked for every size of job.
  public static boolean mayFit(NodeState node, Shape shape) {
    if (shape.needUnits() == 0) {
      return true;
    }
    for (int slot = 0; slot < node.deviceCount(); slot++) {
      if (node.device(slot).freeUnitsSoon() > 0) {
        return true;
      }
    }
    return false;
  }
}
