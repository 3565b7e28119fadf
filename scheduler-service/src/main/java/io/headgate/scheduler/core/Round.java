package io.headgate.scheduler.core;

import io.headgate.scheduler.core.queue.LiveAttempt;
import io.headgate.scheduler.core.queue.LiveHold;
import io.headgate.scheduler.core.queue.LiveJob;
import io.headgate.scheduler.core.queue.QueueState;
import io.headgate.scheduler.core.queue.RouteGroup;
import io.headgate.scheduler.core.queue.Turn;
import io.headgate.scheduler.core.rights.PolicyAccount;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// One round of turns: every queue's candidate acts in the order O1 to O5, until no turn leads to
/// anything.
///
/// 1. Resume the suspended attempts that come before the next candidate, and keep places for the
///    returning jobs that do ([ReturningJobs]).
/// 2. Let the candidate act ([TurnActions]).
/// 3. Put the queues that the outcome concerns in their new places ([RoundOrder]).
/// 4. If the outcome is nothing, go on to the queue's next candidate, and skip the candidates that
///    would fail in the same way.
final class Round {
  private final World world;
  private final Transitions transitions;
  private final TurnActions actions;
  private final BlockedHolds blockedHolds;
  private final HeadroomHolds headroom;
  private final Promises promises;
  private final Suspensions suspensions;
  private final ReturningJobs returning;
  private final WakeTime wake;
  private final Instant now;
  private final RoundOrder order;

  /// Begins a round.
  ///
  /// @param blockedHolds lifted for this round
  /// @param returning of this round
  Round(
      World world,
      Transitions transitions,
      TurnActions actions,
      BlockedHolds blockedHolds,
      HeadroomHolds headroom,
      Promises promises,
      ReturningJobs returning,
      WakeTime wake,
      Instant now) {
    this.world = world;
    this.transitions = transitions;
    this.actions = actions;
    this.blockedHolds = blockedHolds;
    this.headroom = headroom;
    this.promises = promises;
    this.suspensions = new Suspensions(world);
    this.returning = returning;
    this.wake = wake;
    this.now = now;
    this.order = new RoundOrder(world, blockedHolds);
  }

  BlockedHolds blockedHolds() {
    return blockedHolds;
  }

  /// Takes all turns.
  ///
  /// @return whether a late turn may have changed the outcome of an earlier one
  boolean run() {
    for (Turn turn = nextTurn(); turn != null; turn = nextTurn()) {
      if (promises.areExhausted()) {
        continue;
      }
      TurnOutcome outcome = actions.take(turn);
      order.settle(outcome);
      if (outcome instanceof TurnOutcome.Nothing) {
        goOnAfter(turn);
      } else if (outcome instanceof TurnOutcome.Started
          || outcome instanceof TurnOutcome.MadeRoom
          || outcome instanceof TurnOutcome.Consolidated) {
        headroom.started(turn.queue());
        order.free(headroom.takeFreed());
      }
    }
    assert suspensions.areAllKnown() : "devices of a suspended job became idle within a round";
    return order.mustRepeat();
  }

  /// The next turn, after the suspended attempts that come before it have gone on, and the
  /// returning jobs have kept their places.
  private @Nullable Turn nextTurn() {
    Turn turn = order.next();
    while (hadOtherBefore(turn)) {
      if (turn != null) {
        order.refresh(turn.queue());
      }
      turn = order.next();
    }
    return turn;
  }

  private boolean hadOtherBefore(@Nullable Turn turn) {
    LiveHold kept = returning.keepNext(turn);
    if (kept != null) {
      order.settle(new TurnOutcome.MadeRoom(kept, List.of(), false));
      return true;
    }
    LiveAttempt first = suspended(turn);
    if (first != null) {
      transitions.resume(first);
      order.settle(new TurnOutcome.Started(first));
    }
    return first != null;
  }

  /// The suspended attempt that resumes before this turn; null: none. While a new leader waits for
  /// nodes, none resumes: these may report another owner of its slices.
  private @Nullable LiveAttempt suspended(@Nullable Turn turn) {
    return world.suspended.isEmpty() || promises.areDue() ? null : suspensions.next(turn);
  }

  private void goOnAfter(Turn failed) {
    LiveJob head = failed.head();
    boolean hasLooked = head != null && !head.preemptsFrom().isAfter(now);
    if (hasLooked && failed.mayStart() && failed.queue().group().beginsToBePassedOver()) {
      skipThoseThatFailAlike(failed);
    }
    if (failed.chooseNext()) {
      order.put(failed);
    }
  }

  /// On a full cluster most queues with the same routes fail like this one. Finding that out here
  /// saves their turns.
  private void skipThoseThatFailAlike(Turn failed) {
    RouteGroup group = failed.queue().group();
    order.retain(group, turn -> mayAct(turn, failed));
  }

  private boolean mayAct(Turn turn, Turn failed) {
    PolicyAccount account = turn.queue().account();
    if (account.preemptsWithin() || !account.preemptAfter().isZero()) {
      return true;
    }
    if (!turn.choose()) {
      return false;
    }
    LiveJob head = turn.head();
    if (head == null || !failsAs(turn, failed) || (turn.isBounded() && blockedHolds.areSome())) {
      return true;
    }
    Instant from = turn.holdsFrom();
    if (from != null && from.isAfter(now)) {
      wake.by(from);
      return false;
    }
    QueueState queue = turn.queue();
    return from != null
        && (blockedHolds.maySomeHold(queue.group(), queue.holdAfter())
            || blockedHolds.isLifted(head));
  }

  /// Whether the turn fails because the other one did. A suspended attempt of the failed job's own
  /// policy may be a victim for other policies but not for that job, so such a failure says
  /// nothing.
  private boolean failsAs(Turn turn, Turn failed) {
    return !world.possibleVictims.areSuspendedOf(failed.queue().account()) && turn.failsAs(failed);
  }
}
