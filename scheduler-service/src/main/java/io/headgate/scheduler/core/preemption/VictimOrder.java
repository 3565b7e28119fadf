package io.headgate.scheduler.core.preemption;

import io.headgate.scheduler.core.placement.NodeState;
import io.headgate.scheduler.core.placement.PoolState;
import io.headgate.scheduler.core.placement.Room;
import io.headgate.scheduler.core.queue.LiveAttempt;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Caches the victims of a [VictimWalk] in their order, for searches that differ only in their
/// shape. It walks only as far as a search reads.
///
/// Once a search has read all victims without success, the room that all of them leave together
/// often answers the next search without another walk.
final class VictimOrder {
  private final VictimWalk walk;
  private final List<LiveAttempt> victims = new ArrayList<>();
  private boolean complete;

  /// The room on each node once all victims have gone; null: not computed yet.
  private @Nullable Map<NodeState, Room> emptied;

  private final Map<PoolState, Long> units = new HashMap<>();

  VictimOrder(VictimWalk walk) {
    this.walk = walk;
  }

  /// The victim at the place, 0 first; null: there are fewer.
  @Nullable LiveAttempt get(int place) {
    if (place == victims.size() && !complete) {
      walk.next().ifPresentOrElse(victims::add, () -> complete = true);
    }
    return place < victims.size() ? victims.get(place) : null;
  }

  /// The earliest end of protection of an attempt that was passed over so far.
  Optional<Instant> protectedUntil() {
    return walk.protectedUntil();
  }

  /// Whether the job cannot fit even once all victims have gone. False while the walk is
  /// incomplete.
  boolean isKnownNotToSuffice(RemovalTrial trial) {
    if (!complete) {
      return false;
    }
    if (emptied == null) {
      emptied = emptied();
    }
    return !trial.fitsWith(emptied.values(), units.getOrDefault(trial.pool(), 0L));
  }

  private Map<NodeState, Room> emptied() {
    Map<NodeState, Room> rooms = new LinkedHashMap<>();
    for (LiveAttempt victim : victims) {
      units.merge(victim.pool(), victim.takenUnits(), Long::sum);
      for (int worker = 0; worker < victim.workers(); worker++) {
        rooms.computeIfAbsent(victim.nodes().get(worker), Room::soon).give(victim.share(worker));
      }
    }
    return rooms;
  }
}
