package io.headgate.scheduler.core;

import io.headgate.scheduler.core.SchedulerState.Demanded;
import io.headgate.scheduler.core.catalog.PoolId;
import io.headgate.scheduler.core.catalog.Profile;
import io.headgate.scheduler.core.catalog.ProfileId;
import io.headgate.scheduler.core.placement.Shape;
import io.headgate.scheduler.core.placement.policy.TaskClass;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/// How often jobs of each profile of a tenant are asked for; from it the mix of tasks that
/// placement expects.
///
/// Every profile counts as asked for once more than it was: so before anything is known all are
/// expected alike, and a size that is rarely asked for, a gang above all, is never forgotten.
///
/// The counts settle when half as many jobs again have been asked for as before, and then only if
/// they say something else: placement rates every node anew when they do. Old ones weigh less and
/// less.
final class Demand {
  private static final long FIRST = 64;

  /// The number of settled jobs above which the counts are halved.
  private static final long ENOUGH = 16_384;

  /// The share of all jobs whose profiles must differ from the expected ones to change the
  /// expectation.
  private static final double DIFFERENCE = 0.05;

  private static final class Count {
    long settled;
    long recent;
  }

  private final TreeMap<ProfileId, Count> counts = new TreeMap<>();
  private long settled;
  private long recent;

  void load(Demanded known) {
    Count count = new Count();
    count.settled = known.settled();
    count.recent = known.recent();
    counts.put(known.profile(), count);
    settled += known.settled();
    recent += known.recent();
  }

  List<Demanded> state() {
    List<Demanded> state = new ArrayList<>();
    counts.forEach(
        (profile, count) -> state.add(new Demanded(profile, count.settled, count.recent)));
    return state;
  }

  /// Counts a job of the profile.
  ///
  /// @return whether pools must expect another mix of tasks from now on
  boolean ask(ProfileId profile) {
    counts.computeIfAbsent(profile, key -> new Count()).recent++;
    recent++;
    return recent >= Math.max(FIRST, settled / 2) && settle();
  }

  private boolean settle() {
    boolean news = settled == 0 || difference() >= DIFFERENCE;
    int halves = news && settled + recent > ENOUGH ? 2 : 1;
    settled = 0;
    for (Count count : counts.values()) {
      if (news) {
        count.settled = (count.settled + count.recent) / halves;
      }
      count.recent = 0;
      settled += count.settled;
    }
    recent = 0;
    return news;
  }

  /// The part of the recent jobs that would have to be of other profiles to be as the settled ones.
  private double difference() {
    double sum = 0;
    for (Count count : counts.values()) {
      sum += Math.abs(count.recent / (double) recent - count.settled / (double) settled);
    }
    return sum / 2;
  }

  /// Drops the counts of profiles that no longer exist.
  void retain(List<Profile> profiles) {
    Set<ProfileId> known = new HashSet<>();
    profiles.forEach(profile -> known.add(profile.id()));
    if (counts.keySet().retainAll(known)) {
      settled = 0;
      recent = 0;
      for (Count count : counts.values()) {
        settled += count.settled;
        recent += count.recent;
      }
    }
  }

  /// Adds the tasks that a pool must expect if users keep asking for the profiles as before.
  void addTo(Map<TaskClass, Double> weights, PoolId pool, List<Profile> profiles) {
    for (Profile profile : profiles) {
      if (profile.pools().contains(pool)) {
        Count count = counts.get(profile.id());
        double jobs = 1.0 + (count == null ? 0 : count.settled);
        weights.merge(Shape.of(profile).task(), jobs * profile.workers(), Double::sum);
      }
    }
  }
}
