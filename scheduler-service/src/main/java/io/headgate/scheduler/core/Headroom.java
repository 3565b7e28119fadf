package io.headgate.scheduler.core;

import io.headgate.scheduler.core.catalog.PoolId;
import io.headgate.scheduler.core.job.HeadroomHold;
import io.headgate.scheduler.core.job.JobId;
import io.headgate.scheduler.core.queue.Guard;
import io.headgate.scheduler.core.queue.Guards;
import io.headgate.scheduler.core.queue.HeadroomGuard;
import io.headgate.scheduler.core.queue.HeadroomLimit;
import io.headgate.scheduler.core.queue.LiveJob;
import io.headgate.scheduler.core.queue.QueueState;
import io.headgate.scheduler.core.rights.TenantAccount;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// The jobs that hold headroom (O7), the guards that they set, and what is expected of the limits
/// that block jobs.
final class Headroom {
  private final Map<JobId, LiveJob> holders = new HashMap<>();
  private final List<QueueState> guarded = new ArrayList<>();

  /// Looked up in only.
  private final Map<LiveJob, Outlook> outlooks = new HashMap<>();

  /// The answer for a job's limits.
  ///
  /// @param versions of everything that it depends on but the time
  /// @param usesObserved whether it is of this moment only
  /// @param changesAt when the core must look again although nothing has happened
  private record Outlook(
      List<HeadroomLimit.Key> limits,
      List<Long> versions,
      HeadroomOutlook.Expected expected,
      boolean usesObserved,
      Instant changesAt) {}

  boolean areNone() {
    return holders.isEmpty();
  }

  /// The queues that have guards.
  List<QueueState> guarded() {
    return List.copyOf(guarded);
  }

  /// In the order of their submission.
  List<LiveJob> holders() {
    List<LiveJob> ordered = new ArrayList<>(holders.values());
    ordered.sort(Comparator.comparingLong(LiveJob::sequence));
    return ordered;
  }

  /// The job's headroom is another one; the guards must be set anew.
  void set(LiveJob job, Optional<HeadroomHold> hold) {
    job.setHeadroom(hold.orElse(null));
    if (hold.isPresent()) {
      holders.put(job.id(), job);
    } else {
      holders.remove(job.id(), job);
    }
  }

  /// Guards all headroom that is held, as of a time.
  void guard(World world, Instant now) {
    guarded.forEach(queue -> queue.setGuards(Guards.none()));
    guarded.clear();
    Map<QueueState, List<Guard<LiveJob>>> guards = new LinkedHashMap<>();
    Map<QueueState, Map<PoolId, List<Guard<LiveJob>>>> guardsIn = new HashMap<>();
    for (LiveJob job : holders()) {
      HeadroomHold hold = job.headroom();
      if (hold != null && job.queue().resolved().isPresent()) {
        for (HeadroomLimit limit : HeadroomLimit.of(job, hold.scopes())) {
          Optional<PoolId> pool = limit.scope().pool();
          for (QueueState queue : queuesBelow(world, limit)) {
            List<Guard<LiveJob>> everywhere =
                guards.computeIfAbsent(queue, key -> new ArrayList<>());
            pool.map(id ->
                    guardsIn
                        .computeIfAbsent(queue, key -> new HashMap<>())
                        .computeIfAbsent(id, key -> new ArrayList<>()))
                .orElse(everywhere)
                .add(new HeadroomGuard(limit, hold, now));
          }
        }
      }
    }
    guards.forEach((queue, own) -> {
      queue.setGuards(new Guards<>(own, guardsIn.getOrDefault(queue, Map.of())));
      guarded.add(queue);
    });
  }

  private static List<QueueState> queuesBelow(World world, HeadroomLimit limit) {
    if (limit.tenant().isPresent()) {
      TenantAccount tenant = limit.tenant().get();
      return world.queues.values().stream()
          .filter(queue -> queue.routes().stream().anyMatch(route -> route.tenant() == tenant))
          .toList();
    }
    return limit
        .department()
        .map(department -> world.queuesOfDepartment.getOrDefault(department, List.of()))
        .orElseGet(() -> world.queuesOf.getOrDefault(limit.policy(), List.of()));
  }

  /// When the limits are expected to leave room for the job.
  HeadroomOutlook.Expected expected(
      World world, LiveJob job, List<HeadroomLimit> limits, Instant now) {
    List<HeadroomLimit.Key> keys = limits.stream().map(HeadroomLimit::key).toList();
    List<Long> versions = versions(world, job, limits);
    Outlook known = outlooks.get(job);
    if (known == null
        || !known.limits.equals(keys)
        || !known.versions.equals(versions)
        || known.usesObserved
        || !known.changesAt.isAfter(now)) {
      known = look(world, limits, now, keys, versions);
      outlooks.put(job, known);
    }
    return known.expected;
  }

  private static List<Long> versions(World world, LiveJob job, List<HeadroomLimit> limits) {
    boolean isOfPolicy = limits.stream().noneMatch(HeadroomLimit::isAbovePolicy);
    List<Long> versions = new ArrayList<>();
    versions.add(job.queue().account().versionWithDepartments());
    versions.add(
        isOfPolicy ? world.attemptsOf.version(job.queue().account()) : world.attemptsOf.version());
    limits.forEach(limit -> versions.add(limit.version()));
    // A job begins to return (O5) while its usage stays.
    versions.addAll(world.returning.keySet());
    return versions;
  }

  private static Outlook look(
      World world,
      List<HeadroomLimit> limits,
      Instant now,
      List<HeadroomLimit.Key> keys,
      List<Long> versions) {
    List<HeadroomOutlook.Expected> each = new ArrayList<>();
    Instant changesAt = Instant.MAX;
    boolean usesObserved = false;
    for (HeadroomLimit limit : limits) {
      HeadroomOutlook outlook = HeadroomOutlook.of(world, limit, now);
      each.add(outlook.expected());
      usesObserved |= outlook.usesObserved();
      changesAt = outlook.changesAt().isBefore(changesAt) ? outlook.changesAt() : changesAt;
    }
    return new Outlook(keys, versions, HeadroomOutlook.latest(each), usesObserved, changesAt);
  }

  /// When the core must look again at what is [#expected] for the job; empty: never.
  Optional<Instant> changesAt(LiveJob job) {
    @Nullable Outlook known = outlooks.get(job);
    return known == null || known.changesAt.equals(Instant.MAX)
        ? Optional.empty()
        : Optional.of(known.changesAt);
  }

  /// Drops what is expected for all other jobs.
  void forgetOutlooks(Collection<LiveJob> but) {
    if (outlooks.size() > but.size()) {
      Set<LiveJob> kept = new HashSet<>(but);
      outlooks.keySet().retainAll(kept);
    }
  }
}
