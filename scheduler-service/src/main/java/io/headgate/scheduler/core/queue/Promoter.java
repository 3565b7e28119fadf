package io.headgate.scheduler.core.queue;

import io.headgate.scheduler.core.job.JobState;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// Promotes the waiting jobs of a queue that have waited for long (O7). In a pool with
/// `promoteAfter` such a job counts as first by O2 and O3 when turns are ordered.
public final class Promoter {
  private final QueueState queue;

  /// The different times after which the queue's pools promote jobs.
  private List<Duration> times = List.of();

  /// Up to which time jobs are promoted.
  private Instant now = Instant.MIN;

  Promoter(QueueState queue) {
    this.queue = queue;
  }

  /// Takes the routes of the queue.
  ///
  /// @return whether lanes must be filled anew
  boolean configure(List<Route> routes) {
    Set<Duration> found = new LinkedHashSet<>();
    for (Route route : routes) {
      route.promoteAfter().ifPresent(found::add);
    }
    List<Duration> newTimes = List.copyOf(found);
    boolean changes = !newTimes.equals(times);
    times = newTimes;
    return changes;
  }

  /// Whether a pool promotes the queue's jobs.
  public boolean isOn() {
    return !times.isEmpty();
  }

  /// The promotions of a new lane.
  List<Promotions> ofLane() {
    List<Promotions> promotions = new ArrayList<>(times.size());
    times.forEach(after -> promotions.add(new Promotions(after, now)));
    return promotions;
  }

  /// Promotes the jobs that have waited for long enough by now.
  public void promote(Instant newNow) {
    now = newNow;
    for (Lane lane : queue.lanes()) {
      lane.promotions().forEach(each -> each.promote(newNow));
    }
  }

  /// When the next waiting job is promoted; empty: none is left.
  public Optional<Instant> next() {
    Optional<Instant> next = Optional.empty();
    for (Lane lane : queue.lanes()) {
      for (Promotions each : lane.promotions()) {
        next = earlier(next, each.next());
      }
    }
    for (LiveJob holder : queue.holders()) {
      for (Duration after : times) {
        Instant due = holder.waitingSince().plus(after);
        next = earlier(next, Optional.of(due).filter(now::isBefore));
      }
    }
    return next;
  }

  private static Optional<Instant> earlier(Optional<Instant> one, Optional<Instant> other) {
    return one.isEmpty() || (other.isPresent() && other.get().isBefore(one.get())) ? other : one;
  }

  /// Whether a job of the queue counts as first by O2 and O3 in the pool of the route.
  boolean isPromoted(LiveJob job, Route route) {
    return job.state() == JobState.WAITING
        && route
            .promoteAfter()
            .filter(after -> !job.waitingSince().plus(after).isAfter(now))
            .isPresent();
  }

  /// Whether the job is promoted in some pool that is open to it.
  boolean isPromotedSomewhere(LiveJob job) {
    for (Route route : queue.routes(job)) {
      if (isPromoted(job, route)) {
        return true;
      }
    }
    return false;
  }
}
