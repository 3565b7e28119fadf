package io.headgate.scheduler.core;

import io.headgate.scheduler.core.job.HoldRelease;
import io.headgate.scheduler.core.job.JobId;
import io.headgate.scheduler.core.placement.NodeState;
import io.headgate.scheduler.core.queue.LiveHold;
import io.headgate.scheduler.core.queue.Promotion;
import io.headgate.scheduler.core.queue.QueueState;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// One pass over the queues, after the inputs of a decision have been applied.
///
/// 1. Give up holds on nodes that take no work any more, and suspensions whose time is over.
/// 2. Find the jobs that can never start, if the configuration or the inventory changed.
/// 3. Start the jobs whose victims have left, or that now fit elsewhere ([VictimHolds]).
/// 4. Let the queues take turns in the order O1 to O5 ([Round]). A late turn may change what an
///    earlier one could do; then repeat steps 3 and 4. So a second pass would decide nothing.
/// 5. Give up the places of returning jobs that their limits do not leave any more
///    ([ReturningJobs]), and find the jobs that hold headroom ([HeadroomHolds]). If a place or a
///    hold has ended, repeat steps 3 and 4.
/// 6. Ask elastic pools for missing instances, and give back idle ones ([Scaling]).
/// 7. Report each lane whose reason to wait has changed ([Reasons]).
final class Pass {
  /// Bounds how often step 5 is made in a pass. Every start may lead to another holder, and few do.
  private static final int MAX_RENEWALS = 100;

  private final World world;
  private final Transitions transitions;
  private final RoomSearches searches;
  private final Instant now;
  private final WakeTime wake = new WakeTime();
  private final VictimHolds victimHolds;
  private final Promises promises;
  private final Scaling scaling;
  private final HeadroomHolds headroom;

  /// The jobs whose places step 5 gave up. Looked up in only, so its order does not matter.
  private final Set<JobId> givenUp = new HashSet<>();

  Pass(World world, Transitions transitions, RoomSearches searches, Instant now) {
    this.world = world;
    this.transitions = transitions;
    this.searches = searches;
    this.now = now;
    this.victimHolds = new VictimHolds(world, transitions, now);
    this.promises = new Promises(world, transitions, now);
    this.scaling = new Scaling(world, transitions, now, wake);
    this.headroom = new HeadroomHolds(world, transitions, now, wake);
  }

  /// Makes the pass.
  ///
  /// @return when the core must decide again although no input arrives
  Optional<Instant> run() {
    releaseBrokenHolds();
    ReturningJobs.giveUpBroken(world, transitions);
    Suspensions.giveUp(world, transitions, now, wake);
    boolean structureChanged = renewStructure();
    world.promotingQueues.forEach(queue -> Promotion.promote(queue, now));
    headroom.begin();
    BlockedHolds blockedHolds = takeRounds(null);
    int renewals = 0;
    // While nodes are awaited, headroom stays as it is.
    while (!promises.areDue() && renewals < MAX_RENEWALS && mustGoOn()) {
      blockedHolds = takeRounds(blockedHolds);
      renewals++;
    }
    assert renewals < MAX_RENEWALS : "what is held does not come to rest";
    if (promises.areDue() || renewals == MAX_RENEWALS) {
      headroom.noteGates();
    }
    if (!promises.areDue()) {
      blockedHolds.releaseLifted();
    }
    scaling.plan();
    Reasons.emit(world, transitions, structureChanged);
    if (promises.areDue()) {
      // A promise may have been all that was in the way of a hold.
      promises.takeBack();
      blockedHolds.restoreLifted();
      blockedHolds.releaseLifted();
    }
    blockedHolds.wake(wake);
    for (QueueState queue : world.promotingQueues) {
      Promotion.next(queue).ifPresent(wake::by);
    }
    for (NodeState node : world.aside) {
      node.rejections().asideUntil().ifPresent(wake::by);
    }
    if (!world.backedOff.isEmpty()) {
      wake.by(Objects.requireNonNull(world.backedOff.first().backOff()).until());
    }
    world.gates.nextDue().ifPresent(wake::by);
    return wake.at();
  }

  private boolean mustGoOn() {
    List<JobId> places = ReturningJobs.giveUpBroken(world, transitions);
    givenUp.addAll(places);
    return !places.isEmpty() || headroom.renew();
  }

  private void releaseBrokenHolds() {
    for (LiveHold hold : List.copyOf(world.holds.values())) {
      if (hold.isBroken()) {
        transitions.holds().release(hold, HoldRelease.NODE_GONE);
      }
    }
  }

  /// @return whether the configuration or the inventory had changed
  private boolean renewStructure() {
    if (!world.changes.structureIsStale()) {
      return false;
    }
    StructuralCheck.renew(world);
    searches.forget();
    world.changes.forgetHopeless();
    world.holdSearches.forget();
    world.changes.structureIsKnown();
    return true;
  }

  /// @param former the holds of blocked jobs as earlier rounds left them; null: there were none
  /// @return the holds as the last round left them
  private BlockedHolds takeRounds(@Nullable BlockedHolds former) {
    BlockedHolds before = former;
    boolean repeat = true;
    while (repeat) {
      victimHolds.use();
      Round round = beginRound(before);
      boolean undone = round.run();
      before = round.blockedHolds();
      repeat = undone || (before.someLeftTheirPlace() && victimHolds.areSome());
    }
    return Objects.requireNonNull(before);
  }

  private Round beginRound(@Nullable BlockedHolds before) {
    searches.beginRound();
    promises.takeBack();
    ReturningJobs returning = new ReturningJobs(world, transitions, givenUp, now);
    BlockedHolds blockedHolds = BlockedHolds.lift(world, transitions, now, before);
    TurnActions actions =
        new TurnActions(
            world, transitions, searches, blockedHolds, headroom, promises, scaling, wake, now);
    return new Round(
        world, transitions, actions, blockedHolds, headroom, promises, returning, wake, now);
  }
}
