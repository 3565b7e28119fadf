package io.headgate.deploy.simulate.replay;

import io.headgate.deploy.simulate.replay.BookedJob.Stage;
import io.headgate.scheduler.core.Decision;
import io.headgate.scheduler.core.explain.Explanation;
import io.headgate.scheduler.core.explain.Forecast;
import io.headgate.scheduler.core.explain.Reason;
import io.headgate.scheduler.core.placement.PlacementPolicy;
import io.headgate.scheduler.simulation.Scenario;
import io.headgate.scheduler.simulation.Simulation;
import io.headgate.scheduler.simulation.SimulationEvent;
import io.headgate.scheduler.simulation.Summary;
import io.headgate.type.GpuQuantity;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/// Plays a workload from its first submission until every job has ended, and checks every event.
public final class Replay {
  /// Time from the request to stop until an agent has freed the slices.
  private static final Duration STOP_TIME = Duration.ofSeconds(30);

  private static final int LARGE_GPUS = 4;

  private final Workload workload;
  private final LongSupplier nanoClock;
  private final Books books;
  private final List<Long> decisionNanos = new ArrayList<>();
  private int nextEvent;
  private long nowMs;

  private final ForecastErrors forecasts = new ForecastErrors();
  private final int forecastsAsked;

  private final long loadedMs;
  private double usedLoaded;
  private double usedContended;
  private double used;
  private long contendedMs;

  private Replay(Workload workload, LongSupplier nanoClock, int forecastsAsked) {
    this.workload = workload;
    this.forecastsAsked = forecastsAsked;
    this.nanoClock = nanoClock;
    this.books = new Books(workload.scenario());
    this.loadedMs = workload.scenario().events().getLast().at().toMillis();
  }

  static Scenario.Options options() {
    return new Scenario.Options(
        STOP_TIME, Scenario.Options.DEFAULT_PROVISION_TIME, Optional.empty());
  }

  /// @param interval zero: never
  static Optional<Duration> checkpoint(Duration interval) {
    return interval.isZero() ? Optional.empty() : Optional.of(interval);
  }

  /// Plays the workload once.
  ///
  /// @param workload with at least one job
  /// @param nanoClock only measures how long decisions take
  /// @throws BrokenInvariantException at the first decision that breaks a rule
  public static ReplayResult run(
      Workload workload, PlacementPolicy placement, LongSupplier nanoClock) {
    return run(workload, placement, nanoClock, 0);
  }

  /// Plays the workload once, and asks on the way when waiting jobs will start.
  ///
  /// @param forecasts how often it asks: after equally many submissions each time
  /// @throws BrokenInvariantException at the first decision that breaks a rule
  public static ReplayResult run(
      Workload workload, PlacementPolicy placement, LongSupplier nanoClock, int forecasts) {
    return new Replay(workload, nanoClock, forecasts).run(placement);
  }

  private ReplayResult run(PlacementPolicy placement) {
    Simulation simulation =
        new Simulation(workload.scenario(), placement, this::time, this::happened);
    askForecasts(simulation);
    Summary summary = simulation.run();
    advance(summary.untilMs());
    books.rest(summary.untilMs());
    check(summary);
    return result();
  }

  /// Asks for the job that was submitted just now. Most have started by then, so it asks for the
  /// next one that waits. One that waits for victims only has its place already.
  private void askForecasts(Simulation simulation) {
    List<Scenario.Event> events = workload.scenario().events();
    int asked = 0;
    for (int next = 0; asked < forecastsAsked && next < events.size(); next++) {
      long due = (long) asked * events.size() / forecastsAsked;
      if (next >= due
          && events.get(next).action() instanceof Scenario.Action.Submit(var plan, int _)) {
        simulation.runUntil(events.get(next).at());
        boolean hasPlace =
            simulation
                .explain(plan.name())
                .flatMap(Explanation::reason)
                .filter(Reason.WaitingForVictims.class::isInstance)
                .isPresent();
        Optional<Forecast> forecast =
            hasPlace ? Optional.empty() : simulation.forecast(plan.name());
        if (forecast.isPresent()) {
          forecasts.tell(plan.name(), forecast.get(), events.get(next).at().toMillis());
          asked++;
        }
      }
    }
  }

  private Decision time(Supplier<Decision> core) {
    long begun = nanoClock.getAsLong();
    Decision decision = core.get();
    decisionNanos.add(nanoClock.getAsLong() - begun);
    return decision;
  }

  private void happened(SimulationEvent event) {
    advance(event.atMs());
    if (event instanceof SimulationEvent.Start start) {
      forecasts.started(start.job(), event.atMs());
    }
    books.happened(event);
  }

  /// Advances the virtual time, and submits the trace's jobs on the way.
  private void advance(long toMs) {
    List<Scenario.Event> events = workload.scenario().events();
    while (nextEvent < events.size() && events.get(nextEvent).at().toMillis() <= toMs) {
      Scenario.Event event = events.get(nextEvent++);
      passTo(event.at().toMillis());
      if (event.action() instanceof Scenario.Action.Submit(var plan, int _)) {
        books.submitted(plan, nowMs);
      }
    }
    passTo(toMs);
  }

  private void passTo(long toMs) {
    if (toMs == nowMs) {
      return;
    }
    books.rest(nowMs);
    double units = books.usedUnits();
    used += units * (toMs - nowMs);
    usedLoaded += units * Math.max(0, Math.min(toMs, loadedMs) - nowMs);
    if (books.isAnybodyWaiting()) {
      contendedMs += toMs - nowMs;
      usedContended += units * (toMs - nowMs);
    }
    nowMs = toMs;
  }

  /// Checks the simulation's summary against the books.
  private void check(Summary summary) {
    int finished = count(Stage.FINISHED);
    int neverFits = count(Stage.NEVER_FITS);
    if (finished + neverFits != workload.groups().size()
        || finished != summary.finished()
        || !summary.lost().equals(books.lost())
        || !summary.isAtRest()) {
      throw new BrokenInvariantException(
          nowMs,
          "of %d jobs %d have finished and %d can never start; the simulation says %s"
              .formatted(workload.groups().size(), finished, neverFits, summary));
    }
  }

  private int count(Stage stage) {
    int count = 0;
    for (BookedJob job : books.jobs()) {
      count += job.stage == stage ? 1 : 0;
    }
    return count;
  }

  private ReplayResult result() {
    double capacity = books.capacity();
    List<Long> nanos = new ArrayList<>(decisionNanos);
    Collections.sort(nanos);
    return new ReplayResult(
        count(Stage.FINISHED),
        count(Stage.NEVER_FITS),
        workload.leftOut(),
        new ReplayResult.Utilisation(
            share(usedLoaded, capacity * loadedMs),
            Duration.ofMillis(loadedMs),
            share(usedContended, capacity * contendedMs),
            Duration.ofMillis(contendedMs)),
        waits(),
        books.preemptions(),
        used / GpuQuantity.UNITS_PER_GPU / 1000,
        books.lost(),
        new ReplayResult.Decisions(
            nanos.size(),
            nanos.stream().mapToLong(Long::longValue).sum(),
            percentile(nanos, 50),
            percentile(nanos, 99)),
        new ReplayResult.Checked(books.starts(), books.rests()),
        forecasts.result());
  }

  private Map<String, ReplayResult.Waits> waits() {
    Map<String, List<Long>> groups = new LinkedHashMap<>();
    groups.put("all", new ArrayList<>());
    groups.put("gpus>=" + LARGE_GPUS, new ArrayList<>());
    Map<String, List<Long>> named = new TreeMap<>();
    for (BookedJob job : books.jobs()) {
      if (job.stage == Stage.FINISHED) {
        groups.computeIfAbsent("all", key -> new ArrayList<>()).add(job.waitedMs);
        if (job.need() >= LARGE_GPUS * GpuQuantity.UNITS_PER_GPU) {
          groups.computeIfAbsent("gpus>=" + LARGE_GPUS, key -> new ArrayList<>()).add(job.waitedMs);
        }
        named
            .computeIfAbsent(
                workload.groups().getOrDefault(job.name(), ""), key -> new ArrayList<>())
            .add(job.waitedMs);
      }
    }
    groups.putAll(named);
    Map<String, ReplayResult.Waits> waits = new LinkedHashMap<>();
    groups.forEach((name, millis) -> waits.put(name, waits(millis)));
    return waits;
  }

  private static ReplayResult.Waits waits(List<Long> millis) {
    List<Long> sorted = new ArrayList<>(millis);
    Collections.sort(sorted);
    return new ReplayResult.Waits(
        sorted.size(),
        share(sorted.stream().mapToDouble(Long::doubleValue).sum(), 1000.0 * sorted.size()),
        percentile(sorted, 50) / 1000.0,
        percentile(sorted, 99) / 1000.0);
  }

  private static double share(double part, double whole) {
    return whole == 0 ? 0 : part / whole;
  }

  /// The least value that this percentage of the values do not exceed; 0 when there are none.
  private static long percentile(List<Long> sorted, int percent) {
    return sorted.isEmpty() ? 0 : sorted.get((sorted.size() * percent + 99) / 100 - 1);
  }
}
