package io.headgate.scheduler.core.placement;

import io.headgate.scheduler.core.job.JobId;
import java.util.Optional;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/// The nodes of a pool that take work and have held capacity.
final class HeldNodes {
  /// How many nodes are searched for a holder to name.
  private static final int MAX_LOOKED_AT = 16;

  private final TreeSet<NodeState> nodes = new TreeSet<>();

  /// Records whether the node is one of them.
  void keep(PoolEntry entry, boolean held) {
    if (held != entry.held) {
      entry.held = held;
      if (held) {
        nodes.add(entry.node);
      } else {
        nodes.remove(entry.node);
      }
    }
  }

  /// The job whose hold keeps a job of the shape from fitting; empty when it would not fit without
  /// any hold either. Searches the first nodes only.
  ///
  /// @param fitting workers of the job that fit now
  Optional<JobId> inTheWay(Shape shape, long fitting) {
    long missing = shape.workers() - fitting;
    // Where nodes have room it is the ceiling that the holds fill.
    JobId any = null;
    JobId whereRoomIsGained = null;
    int looked = 0;
    for (NodeState node : nodes) {
      if (looked++ == MAX_LOOKED_AT) {
        break;
      }
      Room room = Room.now(node);
      int before = room.workers(shape);
      JobId holder = giveHeld(room);
      int gained = room.workers(shape) - before;
      missing -= gained;
      if (whereRoomIsGained == null && gained > 0) {
        whereRoomIsGained = holder;
      }
      if (any == null) {
        any = holder;
      }
      if (missing <= 0) {
        return Optional.ofNullable(whereRoomIsGained == null ? any : whereRoomIsGained);
      }
    }
    return Optional.empty();
  }

  /// Gives back the held capacity of a node.
  ///
  /// @return the holder with the lowest id
  private static @Nullable JobId giveHeld(Room room) {
    JobId holder = null;
    for (NodeState.Share share : room.node().shares()) {
      if (share.stake() == Stake.HELD) {
        room.give(share.place());
        if (holder == null || share.job().value() < holder.value()) {
          holder = share.job();
        }
      }
    }
    return holder;
  }
}
