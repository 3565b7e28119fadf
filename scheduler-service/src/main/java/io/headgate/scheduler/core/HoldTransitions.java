package io.headgate.scheduler.core;

import io.headgate.scheduler.core.job.Assignment;
import io.headgate.scheduler.core.job.Hold;
import io.headgate.scheduler.core.job.HoldRelease;
import io.headgate.scheduler.core.placement.PoolState;
import io.headgate.scheduler.core.queue.LiveHold;
import io.headgate.scheduler.core.queue.LiveJob;
import io.headgate.scheduler.core.rights.PolicyAccount;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/// Places holds and ends them: the part of [Transitions] that concerns waiting jobs.
final class HoldTransitions {
  private final World world;
  private final Shares shares;
  private final Transitions transitions;
  private final List<Decision.HoldChange> changes = new ArrayList<>();

  HoldTransitions(World world, Shares shares, Transitions transitions) {
    this.world = world;
    this.shares = shares;
    this.transitions = transitions;
  }

  /// Holds that were lifted for a round, and put back.
  List<Decision.HoldChange> changes() {
    return changes;
  }

  /// Keeps slices for a waiting job, or for one that is about to move there (P11).
  LiveHold hold(LiveJob job, Hold hold) {
    if (job.attempt() == null) {
      job.queue().dequeue(job);
    }
    LiveHold live = liveHold(hold, job);
    place(live);
    transitions.emit(new Effect.HoldPlaced(hold));
    return live;
  }

  LiveHold liveHold(Hold hold, LiveJob job) {
    PoolState pool = world.pool(hold.place().pool());
    PolicyAccount policy = job.queue().account();
    return new LiveHold(
        hold,
        job,
        policy,
        world.tenant(pool, policy.id().tenant()),
        pool,
        job.queue().shape(),
        transitions.nodes(hold.place(), pool));
  }

  void place(LiveHold hold) {
    LiveJob job = hold.job();
    shares.take(hold);
    hold.setClaimedByAttempt(job.attempt() != null);
    count(hold);
    transitions.noteTaken(hold.levels());
    job.setHold(hold);
    if (job.attempt() == null) {
      job.queue().addHolder(job);
    }
    world.holds.put(job.id(), hold);
  }

  /// Lets the hold count on another policy of its tenant.
  void recount(LiveHold hold, PolicyAccount policy) {
    uncount(hold);
    hold.setPolicy(policy);
    count(hold);
  }

  private static void count(LiveHold hold) {
    if (hold.isClaimedByAttempt()) {
      hold.levels().addReturning(hold.claim().units());
    } else {
      hold.levels().hold(hold.claim(), hold.isForBlocked());
    }
  }

  private static void uncount(LiveHold hold) {
    if (hold.isClaimedByAttempt()) {
      hold.levels().addReturning(-hold.claim().units());
    } else {
      hold.levels().release(hold.claim(), hold.isForBlocked());
    }
  }

  /// Ends the job's hold; the job waits in its lane again, or will once its attempt has ended.
  void release(LiveHold hold, HoldRelease cause) {
    end(hold, cause);
    if (hold.job().attempt() == null) {
      transitions.enqueue(hold.job());
    }
  }

  /// The attempt of a job that moves has ended: the job waits for its new place (P11).
  void waitInNewPlace(LiveHold hold) {
    uncount(hold);
    hold.setClaimedByAttempt(false);
    count(hold);
    hold.job().queue().addHolder(hold.job());
    transitions.emit(new Effect.JobReasonChanged(hold.job().id(), Reasons.waiting(hold)));
  }

  /// Ends the hold of a job that does not move after all; nothing if it has none.
  void endOfMove(LiveJob job) {
    if (job.hold() != null) {
      end(job.hold(), HoldRelease.JOB_GONE);
    }
  }

  /// Lifts a hold of rule O7 for the length of a pass, so that its job finds it anew in its turn.
  /// The job waits in its lane meanwhile. The end of the hold is reported only if [#restore] does
  /// not follow.
  void liftForRound(LiveHold hold) {
    world.changes.withoutInvalidation(() -> {
      lift(hold);
      world.holds.remove(hold.job().id());
      transitions.enqueue(hold.job());
    });
    changes.add(new Decision.HoldChange(transitions.effects().size(), hold.hold(), false));
  }

  /// Puts a hold back that was lifted for the round.
  void restore(LiveHold hold) {
    world.changes.withoutInvalidation(() -> {
      hold.job().queue().dequeue(hold.job());
      place(hold);
    });
    changes.add(new Decision.HoldChange(transitions.effects().size(), hold.hold(), true));
  }

  /// Keeps a place for a job whose attempt still stops (O5). The job's own claim stays that of the
  /// attempt.
  void keep(LiveHold place) {
    changeKept(place, 1);
    transitions.noteTaken(place.levels());
    world.returningPlaces.put(place.job().id(), place);
    changes.add(new Decision.HoldChange(transitions.effects().size(), place.hold(), true));
  }

  /// Gives up the place kept for the job, if there is one.
  void giveUpKept(LiveJob job) {
    LiveHold place = world.returningPlaces.remove(job.id());
    if (place != null) {
      changeKept(place, -1);
      world.changes.freed();
      world.changes.placesChanged();
      changes.add(new Decision.HoldChange(transitions.effects().size(), place.hold(), false));
    }
  }

  private void changeKept(LiveHold place, int sign) {
    if (sign > 0) {
      shares.take(place);
    } else {
      shares.giveBack(place);
    }
    place.levels().addReturning(sign * place.claim().units());
  }

  /// Looks for a place as if the hold were not there.
  Optional<Assignment> without(LiveHold hold, Supplier<Optional<Assignment>> search) {
    shares.giveBack(hold);
    Optional<Assignment> found = search.get();
    shares.take(hold);
    return found;
  }

  void end(LiveHold hold, HoldRelease cause) {
    lift(hold);
    world.changes.placesChanged();
    world.holds.remove(hold.job().id());
    transitions.emit(new Effect.HoldReleased(hold.job().id(), cause));
  }

  /// Takes the held slices back; the job is then in no lane. It keeps its turn among the holds.
  void lift(LiveHold hold) {
    shares.giveBack(hold);
    world.changes.freed();
    uncount(hold);
    hold.job().setHold(null);
    hold.job().queue().removeHolder(hold.job());
  }
}
