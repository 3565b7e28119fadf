package io.headgate.scheduler.core;

import io.headgate.scheduler.core.job.Assignment;
import io.headgate.scheduler.core.job.HoldRelease;
import io.headgate.scheduler.core.queue.LiveHold;
import io.headgate.scheduler.core.queue.Route;
import java.time.Instant;
import java.util.List;

/// The holds for jobs whose victims are stopping (P5). These jobs had their turn when the victims
/// were chosen, so they start before all turns of a pass: as soon as all held capacity is free, the
/// oldest hold first.
final class VictimHolds {
  private final World world;
  private final Transitions transitions;
  private final Instant now;

  VictimHolds(World world, Transitions transitions, Instant now) {
    this.world = world;
    this.transitions = transitions;
    this.now = now;
  }

  /// Whether there are some.
  boolean areSome() {
    for (LiveHold hold : world.holds.values()) {
      if (!hold.isForBlocked()) {
        return true;
      }
    }
    return false;
  }

  /// Starts all jobs whose held slices are free, or that fit elsewhere by now.
  void use() {
    LiveHold.Older older = new LiveHold.Older();
    for (LiveHold hold : List.copyOf(world.holds.values())) {
      if (hold.isForBlocked()) {
        continue;
      }
      if (hold.job().attempt() != null) {
        older.add(hold); // Its job is still about to leave its former place (P11).
      } else if (hold.isReady(older)) {
        transitions.holds().release(hold, HoldRelease.USED);
        transitions.start(hold.job(), hold.hold().place(), now);
      } else if (!hold.isWithinLimit() || !hold.isWorthAnotherSearch() || !startsElsewhere(hold)) {
        older.add(hold);
      }
    }
  }

  /// The job takes the first place that has become free. The search ignores its own hold, which may
  /// be in the job's own way.
  private boolean startsElsewhere(LiveHold hold) {
    transitions.holds().lift(hold);
    Assignment found = null;
    for (Route route : hold.job().queue().rightfulRoutes(hold.job())) {
      if (found == null && route.hasRoomForTenant()) {
        found = route.pool().place(route.ranking()).orElse(null);
      }
    }
    transitions.holds().place(hold);
    if (found == null) {
      hold.searched();
      return false;
    }
    transitions.holds().release(hold, HoldRelease.NOT_NEEDED);
    transitions.start(hold.job(), found, now);
    return true;
  }
}
