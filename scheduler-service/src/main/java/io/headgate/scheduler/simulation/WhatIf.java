package io.headgate.scheduler.simulation;

import io.headgate.scheduler.core.catalog.Catalog;
import io.headgate.scheduler.core.catalog.TenantId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeSet;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Predicate;

/// The effects of provisioning another configuration of a tenant now: starts, preemptions, new
/// waits, usage and waiting times.
///
/// Two simulations continue from the same instant, one with the change and one without. Their
/// decisions at that instant are compared. Then both look ahead to learn when waiting jobs start.
public final class WhatIf {
  private static final Duration AT_ONCE = Duration.ZERO;

  private final TenantId tenant;
  private final Limits limits;

  /// @param tenant whose configuration changes. For a live system, the answer names only this
  ///   tenant's jobs and counts those of others, unless it owns the shared pools; in a scenario it
  ///   names all
  public WhatIf(TenantId tenant, Limits limits) {
    this.tenant = tenant;
    this.limits = limits;
  }

  /// Bounds of the answer.
  ///
  /// @param jobs of each kind that are named; the others are counted
  /// @param instants the largest number of instants of the future that each simulation looks at
  /// @param isOver asked between two instants; true ends the look-ahead
  public record Limits(int jobs, int instants, BooleanSupplier isOver) {
    public Limits {
      if (jobs < 0 || instants < 0) {
        throw new IllegalArgumentException("jobs %d, instants %d".formatted(jobs, instants));
      }
    }
  }

  /// The effects of the change.
  ///
  /// @param starts that would not happen otherwise
  /// @param waits of jobs that would not wait otherwise, including victims that are queued again
  /// @param drafts jobs that lose their place because their queue, or the right to it, goes
  /// @param policies of the tenant, with or without the change, by name
  /// @param warnings of a change of a live system
  /// @param knownUntil the end of the time for which waits are known; absent: all are known
  public record Answer(
      AffectedJobs<SimulationEvent.Start> starts,
      AffectedJobs<SimulationEvent.Preempt> preempts,
      AffectedJobs<SimulationEvent.Wait> waits,
      AffectedJobs<SimulationEvent.Draft> drafts,
      List<PolicyChange> policies,
      List<ChangeWarning> warnings,
      Optional<Duration> knownUntil) {
    public Answer {
      policies = List.copyOf(policies);
      warnings = List.copyOf(warnings);
    }

    private Answer with(List<ChangeWarning> found) {
      return new Answer(starts, preempts, waits, drafts, policies, found, knownUntil);
    }
  }

  /// A policy without the change and with it.
  public record PolicyChange(
      String name, Optional<PolicyForecast> before, Optional<PolicyForecast> after) {}

  /// Jobs whose submitters may not use their queues.
  ///
  /// @param waiting jobs that wait, with the change
  /// @param runningBefore jobs with an attempt, without the change
  /// @param runningAfter jobs with an attempt, with the change
  public record NotAdmitted(
      List<String> waiting, List<String> runningBefore, List<String> runningAfter) {
    public static final NotAdmitted NONE = new NotAdmitted(List.of(), List.of(), List.of());

    public NotAdmitted {
      waiting = List.copyOf(waiting);
      runningBefore = List.copyOf(runningBefore);
      runningAfter = List.copyOf(runningAfter);
    }
  }

  /// The effects of the change on a scenario.
  public Answer compare(Scenario scenario, Catalog changed) {
    List<Scenario.Event> events = new ArrayList<>();
    events.add(new Scenario.Event(AT_ONCE, new Scenario.Action.Provision(changed)));
    events.addAll(scenario.events());
    Scenario after =
        new Scenario(
            scenario.catalog(),
            scenario.nodes(),
            scenario.running(),
            scenario.waiting(),
            events,
            scenario.options());
    return compare(
        out -> new Simulation(scenario, out),
        out -> new Simulation(after, out),
        List.of(scenario.catalog(), changed),
        _ -> true);
  }

  /// The effects of the change on a live system. An attempt that is asked to stop is assumed to
  /// stop at once, so that the job in its place counts as started.
  public Answer compare(LiveState present, Catalog changed, NotAdmitted notAdmitted) {
    Scenario.Options options =
        new Scenario.Options(
            Duration.ZERO, Scenario.Options.DEFAULT_PROVISION_TIME, Optional.empty());
    List<Scenario.Event> usual = new ArrayList<>();
    for (String job : notAdmitted.runningBefore()) {
      usual.add(new Scenario.Event(AT_ONCE, new Scenario.Action.Bar(job)));
    }
    List<Scenario.Event> events = new ArrayList<>();
    for (String job : notAdmitted.runningAfter()) {
      events.add(new Scenario.Event(AT_ONCE, new Scenario.Action.Bar(job)));
    }
    for (String job : notAdmitted.waiting()) {
      events.add(new Scenario.Event(AT_ONCE, new Scenario.Action.Withdraw(job)));
    }
    events.add(new Scenario.Event(AT_ONCE, new Scenario.Action.Provision(changed)));
    List<Catalog> catalogs =
        present.state().catalogs().stream()
            .filter(catalog -> catalog.tenant().equals(tenant))
            .findFirst()
            .map(before -> List.of(before, changed))
            .orElse(List.of(changed, changed));
    return compare(
            out -> new Simulation(present, usual, options, out),
            out -> new Simulation(present, events, options, out),
            catalogs,
            each -> tenant.equals(each) || tenant.equals(TenantId.PLATFORM))
        .with(
            ChangeWarning.about(
                catalogs.getFirst(), catalogs.getLast(), present.state().attempts()));
  }

  /// Makes a simulation that reports to the consumer.
  private interface Beginning {
    Simulation begin(Consumer<SimulationEvent> out);
  }

  /// @param catalogs of the tenant, before and after
  private Answer compare(
      Beginning before, Beginning after, List<Catalog> catalogs, Predicate<TenantId> isNamed) {
    ComparedRun was = new ComparedRun(isNamed, _ -> true, Integer.MAX_VALUE);
    Simulation first = before.begin(was::note);
    was.begin(first, AT_ONCE);
    ComparedRun is = new ComparedRun(isNamed, was::isNews, limits.jobs());
    Simulation second = after.begin(is::note);
    is.begin(second, AT_ONCE);
    AffectedJobs<SimulationEvent.Start> starts = is.starts();
    AffectedJobs<SimulationEvent.Preempt> preempts = is.preempts();
    AffectedJobs<SimulationEvent.Wait> waits = is.waits();
    AffectedJobs<SimulationEvent.Draft> drafts = is.drafts();
    long knownMs = ahead(first, second);
    Map<String, PolicyForecast> old = was.policies(catalogs.getFirst(), knownMs);
    Map<String, PolicyForecast> fresh = is.policies(catalogs.getLast(), knownMs);
    TreeSet<String> names = new TreeSet<>(old.keySet());
    names.addAll(fresh.keySet());
    List<PolicyChange> policies =
        names.stream()
            .map(name ->
                new PolicyChange(
                    name, Optional.ofNullable(old.get(name)), Optional.ofNullable(fresh.get(name))))
            .toList();
    return new Answer(
        starts,
        preempts,
        waits,
        drafts,
        policies,
        List.of(),
        knownMs == Long.MAX_VALUE ? Optional.empty() : Optional.of(Duration.ofMillis(knownMs)));
  }

  /// Both simulations count as far ahead as the shorter one, so that neither shows more starts only
  /// because it ran longer.
  private long ahead(Simulation first, Simulation second) {
    OptionalLong one = first.lookAhead(limits.instants(), limits.isOver());
    OptionalLong other = second.lookAhead(limits.instants(), limits.isOver());
    return Math.min(one.orElse(Long.MAX_VALUE), other.orElse(Long.MAX_VALUE));
  }
}
