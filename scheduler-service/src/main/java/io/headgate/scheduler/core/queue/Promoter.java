package io.headgate.scheduler.core.queue;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;

/// The times after which the pools of a queue promote its waiting jobs (O7). In such a pool a job
/// that has waited for longer counts as first by O2 and O3 when turns are ordered.
public final class Promoter {
  /// The different times of the pools.
  private List<Duration> times = List.of();

  /// Up to which time jobs are promoted.
  private Instant now = Instant.MIN;

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

  List<Duration> times() {
    return times;
  }

  Instant now() {
    return now;
  }

  void setNow(Instant newNow) {
    now = newNow;
  }

  /// The promotions of a new lane.
  <J> List<Promotions<J>> ofLane(Comparator<J> order, Function<J, Instant> waitingSince) {
    List<Promotions<J>> promotions = new ArrayList<>(times.size());
    times.forEach(after -> promotions.add(new Promotions<>(after, now, order, waitingSince)));
    return promotions;
  }

  /// Whether a job that waits since then counts as first by O2 and O3 in the pool of the route.
  boolean isPromoted(Instant waitingSince, Route route) {
    return route.promoteAfter().filter(after -> !waitingSince.plus(after).isAfter(now)).isPresent();
  }
}
