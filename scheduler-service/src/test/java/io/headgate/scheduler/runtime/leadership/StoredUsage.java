package io.headgate.scheduler.runtime.leadership;

import io.headgate.scheduler.core.catalog.PolicyId;
import io.headgate.scheduler.core.catalog.PoolId;
import io.headgate.scheduler.core.job.JobId;
import io.headgate.scheduler.core.ledger.DownStep;
import io.headgate.scheduler.core.ledger.Entries;
import io.headgate.scheduler.core.ledger.HeldStep;
import io.headgate.scheduler.core.ledger.PoolStep;
import io.headgate.scheduler.core.ledger.ReservationStep;
import io.headgate.scheduler.core.ledger.ShortageStep;
import io.headgate.scheduler.core.ledger.UsageInterval;
import io.headgate.scheduler.core.node.NodeId;
import io.headgate.scheduler.runtime.record.EventRecord;
import io.headgate.scheduler.runtime.record.JobRecord;
import io.headgate.scheduler.runtime.record.LoadedState.UsageTold;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/// The ledger of usage as a database keeps it.
final class StoredUsage {
  private final List<UsageInterval> intervals = new ArrayList<>();
  private final List<PoolStep> steps = new ArrayList<>();
  private final Map<PoolId, PoolStep> pools = new TreeMap<>();
  private final Map<PolicyId, ShortageStep> shortages = new TreeMap<>();
  private final Map<PolicyId, ReservationStep> reservations = new TreeMap<>();
  private final Map<JobId, HeldStep> held = new LinkedHashMap<>();
  private final Map<NodeId, DownStep> down = new LinkedHashMap<>();
  private final Map<JobId, List<EventRecord>> events = new LinkedHashMap<>();

  void add(Entries entries, List<EventRecord> told) {
    for (EventRecord event : told) {
      event
          .jobId()
          .ifPresent(job -> events.computeIfAbsent(job, _ -> new ArrayList<>()).add(event));
    }
    intervals.addAll(entries.intervals());
    steps.addAll(entries.pools());
    entries.pools().forEach(step -> pools.put(step.pool(), step));
    entries.shortages().forEach(step -> shortages.put(step.policy(), step));
    entries.reservations().forEach(step -> reservations.put(step.policy(), step));
    for (HeldStep step : entries.held()) {
      held.remove(step.job());
      if (step.held().isPresent()) {
        held.put(step.job(), step);
      }
    }
    for (DownStep step : entries.down()) {
      down.remove(step.node());
      if (step.down().isPresent()) {
        down.put(step.node(), step);
      }
    }
  }

  UsageTold told() {
    return new UsageTold(
        List.copyOf(pools.values()),
        shortages.values().stream().filter(step -> step.missing() > 0).toList(),
        List.copyOf(reservations.values()),
        List.copyOf(held.values()),
        List.copyOf(down.values()));
  }

  /// A period in which a job had its slices without a break.
  private record Period(JobId job, Instant from, Instant until, long units) {}

  /// Everything has ended: the ledger says of each job what the events say.
  void audit(Collection<JobRecord> jobs) {
    for (PoolStep step : steps) {
      if (!step.balance().closes()) {
        throw new AssertionError("the parts do not make up the capacity: " + step);
      }
    }
    Map<JobId, List<Period>> byLedger = byLedger();
    for (JobRecord job : jobs) {
      List<Period> told = byLedger.getOrDefault(job.id(), List.of());
      List<Period> expected = byEvents(job);
      if (!told.equals(expected)) {
        throw new AssertionError(
            "%s had slices by the ledger %s, by the events %s"
                .formatted(job.name(), told, expected));
      }
    }
    if (!held.isEmpty()) {
      throw new AssertionError("no job is left, and slices are held: " + held);
    }
  }

  private Map<JobId, List<Period>> byLedger() {
    Map<JobId, List<Period>> byJob = new LinkedHashMap<>();
    for (UsageInterval each : intervals) {
      if (each.holding().isHeld()) {
        continue;
      }
      JobId job = each.holding().job();
      Period next = new Period(job, each.from(), each.until(), each.split().units());
      append(byJob.computeIfAbsent(job, _ -> new ArrayList<>()), next);
    }
    return byJob;
  }

  private static void append(List<Period> periods, Period next) {
    if (!periods.isEmpty() && periods.getLast().until().equals(next.from())) {
      Period last = periods.removeLast();
      periods.add(new Period(last.job(), last.from(), next.until(), last.units()));
    } else {
      periods.add(next);
    }
  }

  private List<Period> byEvents(JobRecord job) {
    List<Period> periods = new ArrayList<>();
    Instant from = Instant.MAX;
    for (EventRecord event : events.getOrDefault(job.id(), List.of())) {
      Instant at = event.time().truncatedTo(ChronoUnit.MILLIS);
      switch (event.type()) {
        case ASSIGNED, RESUMED -> from = at;
        case SUSPENDED, REQUEUED, QUEUED, FINISHED -> {
          if (from.isBefore(at)) {
            append(periods, new Period(job.id(), from, at, job.metadata().gpus().units()));
          }
          from = Instant.MAX;
        }
        default -> {
          // It takes no slices and leaves none.
        }
      }
    }
    return periods;
  }
}
