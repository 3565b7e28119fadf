package io.headgate.scheduler.core;

import io.headgate.scheduler.core.job.Assignment;
import io.headgate.scheduler.core.job.Hold;
import io.headgate.scheduler.core.job.JobId;
import io.headgate.scheduler.core.job.PreemptionRule;
import io.headgate.scheduler.core.placement.PoolState;
import io.headgate.scheduler.core.preemption.HoldSearch;
import io.headgate.scheduler.core.queue.LiveAttempt;
import io.headgate.scheduler.core.queue.LiveHold;
import io.headgate.scheduler.core.queue.LiveJob;
import io.headgate.scheduler.core.queue.QueueState;
import io.headgate.scheduler.core.queue.Route;
import io.headgate.scheduler.core.queue.Turn;
import io.headgate.scheduler.core.rights.Levels;
import io.headgate.scheduler.core.rights.PolicyAccount;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Jobs that keep their place in the order while their attempts stop, because a worker was lost,
/// was rejected or stopped (O5).
///
/// Such a job has its turn like a waiting one, but cannot start. In that turn it keeps a place, on
/// free capacity and that of attempts that stop, so that no later job takes it. When the attempt
/// has ended, the job starts in its turn. The places are not stored: a new leader finds them anew.
final class ReturningJobs {
  private final World world;
  private final Transitions transitions;
  private final Instant now;
  private final Map<LiveAttempt, Turn> toCome = new LinkedHashMap<>();

  /// Where those found room in a pool in which their turn comes later.
  private final Map<LiveAttempt, PoolState> pools = new HashMap<>();

  /// Begins a round.
  ///
  /// @param givenUp jobs whose places this pass gave up after a round; it keeps them no other
  ReturningJobs(World world, Transitions transitions, Set<JobId> givenUp, Instant now) {
    this.world = world;
    this.transitions = transitions;
    this.now = now;
    for (LiveAttempt attempt : world.returning.values()) {
      JobId job = attempt.job().id();
      if (!world.returningPlaces.containsKey(job)
          && !givenUp.contains(job)
          && mayReturn(world, attempt)) {
        toCome.put(attempt, Turn.of(attempt.job()));
      }
    }
  }

  /// Gives up the places that are no longer of use: a node is gone, or a job that started later has
  /// used the limit (A2).
  ///
  /// @return the jobs that had them
  static List<JobId> giveUpBroken(World world, Transitions transitions) {
    List<JobId> givenUp = new ArrayList<>();
    for (LiveHold place : List.copyOf(world.returningPlaces.values())) {
      if (place.isBroken() || !place.isStillDue(world.heldForBlocked(place.pool()))) {
        transitions.holds().giveUpKept(place.job());
        givenUp.add(place.job().id());
      }
    }
    return givenUp;
  }

  /// Keeps a place for the first job that finds one and whose turn is before this one.
  ///
  /// @param turn null: after all others
  /// @return the place; null: there is no such job
  @Nullable LiveHold keepNext(@Nullable Turn turn) {
    while (true) {
      LiveAttempt first = first(turn);
      if (first == null) {
        return null;
      }
      Optional<Assignment> place = mayReturn(world, first) ? place(first) : Optional.empty();
      if (place.isPresent() && comesLaterIn(place.get(), first)) {
        continue;
      }
      toCome.remove(first);
      if (place.isPresent()) {
        return keep(first, place.get());
      }
    }
  }

  private @Nullable LiveAttempt first(@Nullable Turn turn) {
    LiveAttempt first = null;
    Turn firstTurn = turn;
    for (Map.Entry<LiveAttempt, Turn> next : toCome.entrySet()) {
      Turn own = next.getValue();
      own.setCandidate(next.getKey().job());
      PoolState pool = pools.get(next.getKey());
      if (pool != null) {
        own.comesLaterIn(pool);
      }
      if (firstTurn == null || own.isBefore(firstTurn)) {
        first = next.getKey();
        firstTurn = own;
      }
    }
    return first;
  }

  /// It takes its turn in the order of the pool where it found room.
  private boolean comesLaterIn(Assignment place, LiveAttempt attempt) {
    PoolState pool = world.pool(place.pool());
    Turn turn = toCome.get(attempt);
    return turn != null && turn.comesLaterIn(pool) && pools.put(attempt, pool) != pool;
  }

  /// Whether rights let the job start again. Its attempt still counts for it.
  private static boolean mayReturn(World world, LiveAttempt attempt) {
    LiveJob job = attempt.job();
    QueueState queue = job.queue();
    if (job.hold() != null
        || job.isBesideLane()
        || attempt.isSuspended()
        || queue.resolved().isEmpty()
        || !queue.isOpen()
        || queue.account() != attempt.policy()
        || queue.need() != attempt.units()
        || job.isPreemptible() != attempt.claim().preemptible()
        || StructuralCheck.denial(world, queue, job.spec()).isPresent()) {
      return false;
    }
    PolicyAccount account = queue.account();
    return (queue.overReservation() || Levels.isEntitledBelowTenant(account, queue.need()))
        && (isWithinLimit(account, attempt.units()) || account.mayExceedLimit(job.user()))
        && account.charged(job.user()) <= account.perUserLimit()
        && (job.isPreemptible() || attempt.levels().keepNonPreemptible());
  }

  /// Whether all that runs and all that is held leaves room for it.
  private static boolean isWithinLimit(PolicyAccount account, long need) {
    return account.used() - account.stopping() + account.held() + need <= account.limit();
  }

  /// The first place in routing order that is free or will be when everything that stops has
  /// stopped.
  private static Optional<Assignment> place(LiveAttempt attempt) {
    LiveJob job = attempt.job();
    List<Route> routes =
        job.isPreemptible() ? job.queue().rightfulRoutes(job) : job.queue().routes();
    for (Route route : routes) {
      Optional<Assignment> place =
          admits(route, attempt) ? HoldSearch.soon(route) : Optional.empty();
      if (place.isPresent()) {
        return place;
      }
    }
    return Optional.empty();
  }

  /// Whether the tenant's reservation lets the job start there (A8). In its own pool the attempt
  /// still counts for it.
  private static boolean admits(Route route, LiveAttempt attempt) {
    if (attempt.job().isPreemptible()) {
      return true;
    }
    return route.tenant() == attempt.tenant()
        ? route.tenant().keepsNonPreemptible()
        : route.admitsNonPreemptible();
  }

  private LiveHold keep(LiveAttempt attempt, Assignment place) {
    // As if the rest of the own attempt were its victim.
    Hold hold =
        Hold.forVictims(attempt.job().id(), place, List.of(attempt.id()), PreemptionRule.P1, now);
    LiveHold kept = transitions.holds().liveHold(hold, attempt.job());
    transitions.holds().keep(kept);
    return kept;
  }
}
