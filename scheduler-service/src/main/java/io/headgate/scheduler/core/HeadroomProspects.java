package io.headgate.scheduler.core;

import io.headgate.scheduler.core.catalog.Pool;
import io.headgate.scheduler.core.job.Assignment;
import io.headgate.scheduler.core.preemption.HoldSearch;
import io.headgate.scheduler.core.queue.Ends;
import io.headgate.scheduler.core.queue.LiveAttempt;
import io.headgate.scheduler.core.queue.LiveHold;
import io.headgate.scheduler.core.queue.LiveJob;
import io.headgate.scheduler.core.queue.QueueState;
import io.headgate.scheduler.core.queue.Route;
import io.headgate.scheduler.core.rights.PolicyAccount;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/// Whether jobs could start once limits left them room (O7): no headroom is held for others.
///
/// A job could if some pool fits it when all attempts have left that end or may be its victims. An
/// endless service that is no victim of the job stays.
final class HeadroomProspects {
  private final World world;
  private final Transitions transitions;
  private final Instant now;

  HeadroomProspects(World world, Transitions transitions, Instant now) {
    this.world = world;
    this.transitions = transitions;
    this.now = now;
  }

  /// Whether the job may start once it has its headroom.
  boolean mayStart(LiveJob job) {
    return job.hold() != null
        || job.queue().group().isElastic()
        || job.queue().routes().stream().anyMatch(route -> fits(job, route));
  }

  /// Whether victims may make room for the job once it has its headroom.
  private static boolean mayPreempt(LiveJob job) {
    QueueState queue = job.queue();
    return queue.need() <= queue.account().reservation() || queue.account().preemptsWithin();
  }

  /// Whether the job may start in the pool of the route once it has its headroom.
  boolean mayStart(LiveJob job, Route route) {
    return route.pool().pool().flatMap(Pool::elasticity).isPresent() || fits(job, route);
  }

  /// Whether the pool can take the job now or once all have left there that ever will. A blocked
  /// job's hold there does not count: that job may have to leave the headroom. Nor do the limits of
  /// departments: they leave room by then, perhaps because jobs in other pools have ended.
  private boolean fits(LiveJob job, Route route) {
    if (route.ranking().fits()) {
      return true;
    }
    Supplier<Optional<Assignment>> search = () -> placeOnceFree(job, route);
    for (LiveHold hold : world.holds.values()) {
      if (hold.isForBlocked() && hold.pool() == route.pool()) {
        return transitions.holds().without(hold, search).isPresent();
      }
    }
    return search.get().isPresent();
  }

  private Optional<Assignment> placeOnceFree(LiveJob job, Route route) {
    Ends ends = new Ends(now, job.queue().holdAfter());
    Route once = route.withoutDepartments();
    return HoldSearch.search(once, world.ends.expect(once.pool(), ends), now)
            instanceof HoldSearch.Found(var place, var _, var _)
        ? Optional.of(place)
        : mayPreempt(job) ? HoldSearch.without(mayLeave(job, once, ends), once) : Optional.empty();
  }

  /// The attempts in the pool that may be victims of the job, or will end by themselves.
  private List<LiveAttempt> mayLeave(LiveJob job, Route route, Ends ends) {
    PolicyAccount own = job.queue().account();
    List<LiveAttempt> running = new ArrayList<>(world.suspended.values());
    world.accounts.values().forEach(account -> running.addAll(world.attemptsOf.of(account)));
    running.removeIf(attempt -> {
      boolean mayBeVictim =
          attempt.claim().preemptible()
              && (attempt.policy() != own || own.preemptsWithin() || attempt.isSuspended());
      return attempt.pool() != route.pool() || !(mayBeVictim || !ends.of(attempt).isEndless());
    });
    return running;
  }
}
