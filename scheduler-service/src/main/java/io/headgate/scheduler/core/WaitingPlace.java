package io.headgate.scheduler.core;

import io.headgate.scheduler.core.job.HoldRelease;
import io.headgate.scheduler.core.queue.Lane;
import io.headgate.scheduler.core.queue.LiveJob;
import java.util.Optional;

/// Where a waiting job stands: in its lane, or beside it, where no rule sees it.
final class WaitingPlace {
  private WaitingPlace() {}

  /// Puts a waiting job in its lane, or beside it: behind its gate, for a pause, or because its
  /// array rests.
  static void enter(World world, LiveJob job) {
    if (job.isGated()) {
      world.gates.add(job);
      return;
    }
    if (job.backsOff()) {
      job.queue().backedOff().add(job);
      world.backedOff.add(job);
      return;
    }
    if (job.rests()) {
      job.queue().keptBack().add(job);
      return;
    }
    Lane lane = job.queue().lane(job);
    if (lane.line().isEmpty()) {
      lane.setDenial(StructuralCheck.denial(world, job.queue(), job.spec()));
    }
    job.queue().enqueue(job);
  }

  /// Removes a waiting job together with its hold.
  static void leave(World world, Transitions transitions, LiveJob job) {
    if (job.isGated()) {
      world.gates.remove(job);
    } else if (job.backsOff()) {
      world.backedOff.remove(job);
      job.queue().backedOff().remove(job);
    } else if (job.rests()) {
      job.queue().keptBack().remove(job);
    } else if (job.hold() == null) {
      job.queue().dequeue(job);
    } else {
      transitions.holds().end(job.hold(), HoldRelease.JOB_GONE);
    }
    if (job.headroom() != null) {
      world.headroom.set(job, Optional.empty());
      transitions.emit(new Effect.HeadroomHoldChanged(job.id(), Optional.empty()));
    }
  }
}
