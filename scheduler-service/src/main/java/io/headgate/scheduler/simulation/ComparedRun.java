package io.headgate.scheduler.simulation;

import io.headgate.scheduler.core.catalog.Catalog;
import io.headgate.scheduler.core.catalog.PolicyId;
import io.headgate.scheduler.core.catalog.Queue;
import io.headgate.scheduler.core.catalog.QueueId;
import io.headgate.scheduler.core.catalog.TenantId;
import io.headgate.scheduler.core.usage.PolicyUsage;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/// One of the two simulations that are compared: its decisions at once, as reported, and the waits
/// that follow.
final class ComparedRun {
  private final Predicate<TenantId> isNamed;
  private final Predicate<SimulationEvent.OfJob> isNews;
  private final int most;

  private final Map<String, SimulationEvent.Start> starts = new LinkedHashMap<>();
  private final Map<String, SimulationEvent.Preempt> preempts = new LinkedHashMap<>();
  private final Map<String, SimulationEvent.Wait> waits = new LinkedHashMap<>();
  private final Map<String, SimulationEvent.Draft> drafts = new LinkedHashMap<>();

  /// Set when it begins.
  private @Nullable Simulation simulation;

  private boolean atOnce = true;
  private List<PolicyUsage> usages = List.of();
  private Map<QueueId, Integer> waiting = Map.of();

  /// @param isNamed the tenants whose jobs and policies are named
  /// @param isNews the events to keep
  /// @param most jobs of each kind to name
  ComparedRun(Predicate<TenantId> isNamed, Predicate<SimulationEvent.OfJob> isNews, int most) {
    this.isNamed = isNamed;
    this.isNews = isNews;
    this.most = most;
  }

  /// Takes an event of the simulation.
  void note(SimulationEvent event) {
    if (!atOnce) {
      return;
    }
    switch (event) {
      case SimulationEvent.Start start -> {
        waits.remove(start.job());
        keep(starts, start);
      }
      case SimulationEvent.Preempt preempt -> keep(preempts, preempt);
      case SimulationEvent.Wait wait -> keep(waits, wait);
      case SimulationEvent.Draft draft -> {
        waits.remove(draft.job());
        keep(drafts, draft);
      }
      case SimulationEvent.Cancel(long _, String job) -> waits.remove(job);
      case SimulationEvent.Stop _, SimulationEvent.Finish _, SimulationEvent.OfPool _ -> {}
    }
  }

  private <E extends SimulationEvent.OfJob> void keep(Map<String, E> events, E event) {
    if (isNews.test(event)) {
      events.put(event.job(), event);
    }
  }

  /// Whether this simulation had no such event, so that the other one's is a difference.
  boolean isNews(SimulationEvent.OfJob event) {
    return switch (event) {
      case SimulationEvent.Start start -> !starts.containsKey(start.job());
      case SimulationEvent.Preempt preempt -> !preempts.containsKey(preempt.job());
      case SimulationEvent.Wait wait -> !waits.containsKey(wait.job());
      case SimulationEvent.Draft draft -> !drafts.containsKey(draft.job());
      case SimulationEvent.Cancel _, SimulationEvent.Stop _, SimulationEvent.Finish _ -> false;
    };
  }

  /// Runs the simulation until a time.
  void begin(Simulation begun, Duration until) {
    simulation = begun;
    begun.runUntil(until);
    atOnce = false;
    usages = begun.policies();
    waiting = begun.waiting();
  }

  /// The policies by name: their state right after the decisions at once, and the waits of their
  /// jobs until the simulation ended.
  ///
  /// @param catalog of the tenant whose configuration changes
  /// @param knownMs starts after this time do not count
  Map<String, PolicyForecast> policies(Catalog catalog, long knownMs) {
    Simulation begun = Optional.ofNullable(simulation).orElseThrow();
    Map<PolicyId, Integer> waited = byPolicy(catalog, waiting);
    Map<PolicyId, Integer> left = byPolicy(catalog, begun.waiting());
    Map<String, PolicyForecast> policies = new TreeMap<>();
    for (PolicyUsage usage : usages) {
      PolicyId id = usage.policy();
      if (isNamed.test(id.tenant())) {
        WaitForecast wait = begun.expectedWait(id, left.getOrDefault(id, 0), knownMs);
        policies.put(
            id.name(),
            new PolicyForecast(
                usage.used(),
                usage.reservation(),
                usage.limit(),
                waited.getOrDefault(id, 0),
                wait));
      }
    }
    return policies;
  }

  private static Map<PolicyId, Integer> byPolicy(Catalog catalog, Map<QueueId, Integer> jobs) {
    Map<PolicyId, Integer> byPolicy = new HashMap<>();
    for (Queue queue : catalog.queues()) {
      byPolicy.merge(queue.policy(), jobs.getOrDefault(queue.id(), 0), Integer::sum);
    }
    return byPolicy;
  }

  AffectedJobs<SimulationEvent.Start> starts() {
    return jobs(starts);
  }

  AffectedJobs<SimulationEvent.Preempt> preempts() {
    return jobs(preempts);
  }

  AffectedJobs<SimulationEvent.Wait> waits() {
    return jobs(waits);
  }

  AffectedJobs<SimulationEvent.Draft> drafts() {
    return jobs(drafts);
  }

  private <E extends SimulationEvent.OfJob> AffectedJobs<E> jobs(Map<String, E> events) {
    Simulation begun = Optional.ofNullable(simulation).orElseThrow();
    List<E> named = new ArrayList<>();
    int count = 0;
    int others = 0;
    for (E event : events.values()) {
      if (!isNamed.test(begun.tenant(event.job()))) {
        others++;
      } else if (count++ < most) {
        named.add(event);
      }
    }
    return new AffectedJobs<>(named, count, others);
  }
}
