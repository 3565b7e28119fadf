package io.headgate.scheduler.simulation;

import io.headgate.scheduler.core.Decision;
import io.headgate.scheduler.core.Input;
import io.headgate.scheduler.core.SchedulerCore;
import io.headgate.scheduler.core.catalog.PolicyId;
import io.headgate.scheduler.core.catalog.QueueId;
import io.headgate.scheduler.core.catalog.TenantId;
import io.headgate.scheduler.core.explain.Explanation;
import io.headgate.scheduler.core.explain.Forecast;
import io.headgate.scheduler.core.job.JobId;
import io.headgate.scheduler.core.placement.PlacementPolicy;
import io.headgate.scheduler.core.usage.PolicyUsage;
import io.headgate.scheduler.simulation.SimulatedJob.Phase;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Supplier;

/// Runs a scenario: the real core decides, and agents and users act in virtual time. Confined to
/// one thread.
///
/// All inputs of one instant are one batch: first ends of jobs and of stopping attempts, then the
/// scenario's events in file order. Consequences of a decision that take no time follow at the same
/// instant, in further batches. Reasons are reported at the end of the instant, so that no reason
/// is reported that lasted no time.
public final class Simulation {
  /// The most batches of one instant; a core that decides without end has a fault.
  private static final int MAX_BATCHES_AT_ONCE = 100_000;

  private static final int PASSES_AT_REST = 5;

  /// After this many wake-ups without effect, the simulation no longer wakes the core: it would do
  /// so for ever.
  private static final int MAX_IDLE_WAKES = 1000;

  /// Makes each decision, so that a benchmark can time it.
  public interface DecisionTimer {
    /// Calls the core exactly once.
    Decision time(Supplier<Decision> core);
  }

  private final SimulationContext context;
  private final DecisionTimer timer;
  private final ExternalEvents happenings;
  private final EffectExecutor executor;
  private final long untilMs;

  private long nowMs;
  private boolean begun;
  private OptionalLong wakeMs = OptionalLong.empty();

  /// The time of the last decision, which may have had no effect.
  private long decidedMs;

  /// Decisions in a row without an effect.
  private int idleWakes;

  /// @param out receives the events in time order
  /// @throws IllegalArgumentException when two running jobs have one slice, or two jobs one name
  public Simulation(Scenario scenario, Consumer<SimulationEvent> out) {
    this(scenario, SchedulerCore.DEFAULT_PLACEMENT, Supplier::get, out);
  }

  /// A simulation of the scenario with another placement policy.
  public Simulation(
      Scenario scenario,
      PlacementPolicy placement,
      DecisionTimer timer,
      Consumer<SimulationEvent> out) {
    this(new SimulationContext(scenario, placement, out), timer, scenario.events());
  }

  /// Continues from the state of a live system.
  ///
  /// @param events in time order
  Simulation(
      LiveState present,
      List<Scenario.Event> events,
      Scenario.Options options,
      Consumer<SimulationEvent> out) {
    this(new SimulationContext(present, options, out), Supplier::get, events);
  }

  private Simulation(SimulationContext context, DecisionTimer timer, List<Scenario.Event> events) {
    this.context = context;
    this.timer = timer;
    this.happenings = new ExternalEvents(context, events);
    this.executor = new EffectExecutor(context);
    this.untilMs = context.options.until().map(Duration::toMillis).orElse(Long.MAX_VALUE);
  }

  /// Runs to the end.
  public Summary run() {
    runUntil(Long.MAX_VALUE);
    return summary();
  }

  /// Runs until everything at or before a time has happened, or the scenario ends.
  public void runUntil(Duration at) {
    runUntil(at.toMillis());
  }

  private void runUntil(long limitMs) {
    if (!begun) {
      begun = true;
      instant(0);
    }
    for (OptionalLong next = next(); next.isPresent(); next = next()) {
      long atMs = next.getAsLong();
      if (atMs > Math.min(untilMs, limitMs)) {
        break;
      }
      instant(atMs);
    }
    if (untilMs != Long.MAX_VALUE && untilMs <= limitMs && untilMs > nowMs) {
      context.meter.advance(untilMs);
      nowMs = untilMs;
    }
  }

  /// Continues in order to learn when waiting jobs start; reasons are no longer reported.
  ///
  /// @param instants the largest number of instants to simulate
  /// @param isOver asked between two instants; true ends the look-ahead
  /// @return the time up to which everything has happened; empty: to the end
  OptionalLong lookAhead(int instants, BooleanSupplier isOver) {
    context.emitsReasons = false;
    for (int seen = 0; ; seen++) {
      OptionalLong next = next();
      if (next.isEmpty() || next.getAsLong() > untilMs) {
        return OptionalLong.empty();
      }
      if (seen == instants || isOver.getAsBoolean()) {
        return OptionalLong.of(next.getAsLong() - 1);
      }
      instant(next.getAsLong());
    }
  }

  private OptionalLong next() {
    OptionalLong next = happenings.next();
    boolean isAsleep = next.isEmpty() && idleWakes >= MAX_IDLE_WAKES;
    if (wakeMs.isEmpty() || isAsleep) {
      return next;
    }
    long wake = Math.max(wakeMs.getAsLong(), decidedMs);
    return OptionalLong.of(Math.min(next.orElse(wake), wake));
  }

  /// Runs all batches of one instant.
  private void instant(long atMs) {
    List<Input> inputs = happenings.due(atMs);
    boolean happens = !inputs.isEmpty() || happenings.nextEventIsAt(atMs);
    inputs.addAll(happenings.scripted(atMs));
    if (inputs.isEmpty()) {
      inputs.add(new Input.TimePassed());
    }
    int batches = 0;
    while (!inputs.isEmpty()) {
      if (++batches > MAX_BATCHES_AT_ONCE) {
        throw new IllegalStateException("the core does not come to rest at " + atMs + " ms");
      }
      decidedMs = atMs;
      List<Input> batch = inputs;
      Decision decision = timer.time(() -> context.core.decide(batch, context.instantOf(atMs)));
      happens |= !decision.effects().isEmpty();
      if (happens && nowMs != atMs) {
        context.meter.advance(atMs);
        nowMs = atMs;
      }
      wakeMs = wake(decision);
      inputs = executor.follow(batch, decision, atMs);
      inputs.addAll(0, happenings.due(atMs));
    }
    if (context.capacityChanged) {
      context.meter.capacityChanged(context.core);
      context.capacityChanged = false;
    }
    executor.emitReasons(atMs);
    idleWakes = happens ? 0 : idleWakes + 1;
  }

  /// In milliseconds, rounded up, so that the core never wakes before its time.
  private static OptionalLong wake(Decision decision) {
    return decision
        .wakeAt()
        .map(at -> OptionalLong.of(at.plusNanos(999_999).toEpochMilli()))
        .orElse(OptionalLong.empty());
  }

  /// The name of a job.
  public String name(JobId job) {
    return context.jobs.get(job).name();
  }

  /// Explains the job's present state; empty when it is over or not submitted yet.
  public Optional<Explanation> explain(String job) {
    return context.jobs.find(job).flatMap(known -> context.core.explain(known.id));
  }

  /// The start of the job as the scheduler expects it: from declared run times, without knowledge
  /// of the real ones. Empty when the job does not wait.
  public Optional<Forecast> forecast(String job) {
    return context
        .jobs
        .find(job)
        .flatMap(known -> context.core.forecast(known.id, context.instantOf(nowMs)).get());
  }

  /// The tenant of the job.
  TenantId tenant(String job) {
    return context.jobs.named(job).plan.queue().tenant();
  }

  /// Usage of all policies now.
  List<PolicyUsage> policies() {
    return context.core.policies();
  }

  /// The number of waiting jobs of each queue, including jobs that can never start.
  Map<QueueId, Integer> waiting() {
    Map<QueueId, Integer> waiting = new HashMap<>();
    for (SimulatedJob job : context.jobs.all()) {
      if (job.phase == Phase.WAITING || job.phase == Phase.NEVER_FITS) {
        waiting.merge(job.plan.queue(), 1, Integer::sum);
      }
    }
    return waiting;
  }

  /// The waits of the policy's jobs from 0s on.
  ///
  /// @param left the number of its jobs that wait now
  /// @param knownMs starts after this time do not count
  WaitForecast expectedWait(PolicyId policy, int left, long knownMs) {
    return context.meter.expected(policy, left, knownMs);
  }

  /// Summarises the present state.
  public Summary summary() {
    return new Summary(
        nowMs,
        context.jobs.count(Phase.FINISHED),
        context.jobs.count(Phase.RUNNING),
        context.jobs.count(Phase.WAITING) + context.jobs.count(Phase.NEVER_FITS),
        context.jobs.count(Phase.CANCELLED),
        context.meter.preemptions,
        context.meter.capacity(),
        context.meter.used(),
        context.meter.lost(),
        context.meter.policies(context.core),
        Meter.pools(context.core),
        context.core.tenants(),
        isAtRest());
  }

  /// Whether further passes change nothing.
  private boolean isAtRest() {
    SchedulerCore copy = context.core.copy();
    for (int pass = 0; pass < PASSES_AT_REST; pass++) {
      if (!copy.decide(List.of(new Input.TimePassed()), context.instantOf(nowMs))
          .effects()
          .isEmpty()) {
        return false;
      }
    }
    return true;
  }
}
