package io.headgate.scheduler.core;

import io.headgate.scheduler.core.SchedulerState.ObservedRuns;
import io.headgate.scheduler.core.catalog.QueueId;
import io.headgate.scheduler.core.explain.Forecast;
import io.headgate.scheduler.core.explain.Forecast.Basis;
import io.headgate.scheduler.core.explain.Forecast.Cause;
import io.headgate.scheduler.core.explain.Reason;
import io.headgate.scheduler.core.job.Attempt;
import io.headgate.scheduler.core.job.JobId;
import io.headgate.scheduler.core.job.JobSpec;
import io.headgate.scheduler.core.job.RunTimes;
import io.headgate.scheduler.core.placement.PlacementPolicy;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.Set;

/// Finds when a waiting job starts by running a copy of the core. Each running attempt ends when
/// its declared run time is over, or after the run time that earlier runs of its queue let expect,
/// and nothing else happens. It costs a copy, and a pass for each end, however many jobs are asked
/// for. It needs the state only, so it can run beside the core's thread.
///
/// Where it used observed run times, a second run with long ones gives the bound.
///
/// Example: in a pool of 1 GPU, a runs until 12:00 at the latest and b waits. Then b starts by
/// 12:00. With a job c of 2 hours before b, it starts by 14:00.
final class StartForecast {
  /// The most jobs that are copied for one forecast.
  static final int MAX_JOBS = 10_000;

  /// Bounds the look-ahead, in passes.
  static final int MAX_PASSES = 500;

  /// Hears of each start.
  private interface OnStart {
    /// Whether the run has found what it looked for.
    boolean isEnough(JobId job, Instant at);
  }

  /// The end of an attempt by itself.
  private record End(Instant at, Attempt attempt) {
    static final Comparator<End> ORDER =
        Comparator.comparing(End::at).thenComparingLong(end -> end.attempt().sequence());
  }

  private final SchedulerCore core;
  private final JobId job;
  private final boolean cautious;
  private final Duration holdAfter;
  private final Map<QueueId, RunTimes> runTimes = new HashMap<>();
  private final Map<JobId, JobSpec> specs = new HashMap<>();
  private final PriorityQueue<End> ends = new PriorityQueue<>(End.ORDER);
  private OnStart onStart;
  private boolean isForMany;
  private boolean someOpenEnded;
  private boolean someObserved;
  private int ended;

  /// @param cautious whether observed run times are long ones rather than medians
  private StartForecast(
      SchedulerState state, PlacementPolicy placement, JobId job, boolean cautious) {
    this.core = SchedulerCore.load(state, placement);
    this.job = job;
    this.onStart = (started, _) -> started.equals(job);
    this.cautious = cautious;
    this.holdAfter = core.holdAfter(job).orElse(Duration.ZERO);
    state.jobs().forEach(each -> specs.put(each.id(), each.spec()));
    for (ObservedRuns each : state.runTimes()) {
      RunTimes runs = new RunTimes();
      runs.load(each.runs());
      runTimes.put(each.queue(), runs);
    }
  }

  /// Looks ahead for a job that waits; empty when it does not.
  ///
  /// @param state of the core, which stays as it is
  static Optional<Forecast> of(
      SchedulerState state, PlacementPolicy placement, JobId job, Instant now) {
    StartForecast forecast = new StartForecast(state, placement, job, false);
    if (!forecast.core.isForeseeable(job)) {
      return Optional.empty();
    }
    Forecast expected = forecast.run(state, now);
    if (!(expected instanceof Forecast.Expected found) || found.basis() == Basis.DECLARED) {
      return Optional.of(expected);
    }
    Forecast bound = new StartForecast(state, placement, job, true).run(state, now);
    Optional<Instant> by =
        bound instanceof Forecast.Expected late
            ? late.by().filter(time -> !time.isBefore(found.start()))
            : Optional.empty();
    return Optional.of(new Forecast.Expected(found.start(), by, found.after(), found.basis()));
  }

  /// The expected starts of several waiting jobs in one run; a job is absent where nothing reliable
  /// can be said. Unlike [#of] it looks for no bounds.
  ///
  /// @param state of the core, which stays as it is
  static Map<JobId, Instant> of(
      SchedulerState state, PlacementPolicy placement, Set<JobId> jobs, Instant now) {
    Map<JobId, Instant> starts = new LinkedHashMap<>();
    Optional<JobId> shortest = shortest(SchedulerCore.load(state, placement), jobs);
    if (shortest.isPresent()) {
      StartForecast forecast = new StartForecast(state, placement, shortest.get(), false);
      forecast.isForMany = true;
      Set<JobId> left = new HashSet<>(jobs);
      left.removeIf(job -> !forecast.core.isForeseeable(job));
      forecast.onStart =
          (job, at) -> {
            if (left.remove(job)) {
              starts.put(job, at);
            }
            return left.isEmpty();
          };
      var _ = forecast.run(state, now);
    }
    return starts;
  }

  /// The foreseeable job that holds soonest: by its bound runs without end count as endless (O7).
  private static Optional<JobId> shortest(SchedulerCore core, Set<JobId> jobs) {
    return jobs.stream()
        .filter(core::isForeseeable)
        .min(
            Comparator.comparing((JobId job) -> core.holdAfter(job).orElse(Duration.ZERO))
                .thenComparingLong(JobId::value));
  }

  private Forecast run(SchedulerState state, Instant now) {
    state.attempts().forEach(attempt -> expect(attempt, now));
    return run(now);
  }

  /// Adds the expected end of the attempt: at once if it is stopping.
  private void expect(Attempt attempt, Instant now) {
    if (attempt.stop().isPresent()) {
      ends.add(new End(now, attempt));
      return;
    }
    Instant from = attempt.startedAt().orElse(attempt.assignedAt());
    JobSpec spec = specs.get(attempt.id().job());
    Optional<Duration> run = spec == null ? Optional.empty() : spec.maxRuntime();
    if (run.isEmpty() && spec != null) {
      run = observed(spec.queue(), Duration.between(from, now));
      someObserved |= run.isPresent();
    }
    run.map(from::plus)
        .ifPresentOrElse(
            end -> ends.add(new End(end.isAfter(now) ? end : now, attempt)),
            () -> someOpenEnded = true);
  }

  private Optional<Duration> observed(QueueId queue, Duration elapsed) {
    RunTimes runs = runTimes.getOrDefault(queue, new RunTimes());
    boolean isEndless = !runs.areEnough() && elapsed.compareTo(holdAfter) >= 0;
    return isEndless ? Optional.empty() : cautious ? runs.high(elapsed) : runs.median(elapsed);
  }

  private Forecast run(Instant now) {
    Instant at = now;
    List<Input> inputs = List.of(new Input.TimePassed());
    for (int pass = 0; pass < MAX_PASSES; pass++) {
      Decision decision = core.decide(inputs, at);
      for (Effect effect : decision.effects()) {
        if (effect instanceof Effect.StartAttempt(var attempt)) {
          if (onStart.isEnough(attempt.id().job(), at)) {
            return new Forecast.Expected(
                at, Optional.of(at), ended, someObserved ? Basis.OBSERVED : Basis.DECLARED);
          }
          expect(attempt, at);
        } else if (effect instanceof Effect.StopAttempt(var id, var _)) {
          Instant stopped = at;
          core.attempt(id.job()).ifPresent(attempt -> expect(attempt, stopped));
        }
      }
      Optional<Cause> hopeless = hopeless();
      if (hopeless.isPresent() && !isForMany) {
        return new Forecast.Unknown(hopeless.get());
      }
      Optional<Instant> next = next(at, decision);
      if (next.isEmpty()) {
        return new Forecast.Unknown(atRest());
      }
      at = next.get();
      inputs = endings(at);
    }
    return new Forecast.Unknown(Cause.TOO_FAR);
  }

  private Optional<Cause> hopeless() {
    return core.reason(job)
        .flatMap(reason ->
            switch (reason) {
              case Reason.NeverFits _ -> Optional.of(Cause.NEVER_FITS);
              case Reason.QueueClosed _ -> Optional.of(Cause.QUEUE_CLOSED);
              case Reason.Budget _ -> Optional.of(Cause.BUDGET);
              default -> Optional.empty();
            });
  }

  /// The reason why the job still waits once no further event is due.
  private Cause atRest() {
    if (core.reason(job).orElse(null) instanceof Reason.WaitingForProvider) {
      return Cause.PROVIDER;
    }
    return someOpenEnded ? Cause.OPEN_ENDED : Cause.NOTHING_ENDS;
  }

  /// The time of the next event. Once no attempt ends any more, the core may still wake by itself,
  /// for example to hold for a blocked job.
  private Optional<Instant> next(Instant at, Decision decision) {
    Optional<Instant> wake = decision.wakeAt().filter(time -> time.isAfter(at));
    if (ends.isEmpty()) {
      return wake;
    }
    Instant end = ends.peek().at();
    return Optional.of(wake.filter(time -> time.isBefore(end)).orElse(end));
  }

  private List<Input> endings(Instant at) {
    List<Input> inputs = new ArrayList<>();
    while (!ends.isEmpty() && !ends.peek().at().isAfter(at)) {
      Attempt attempt = ends.poll().attempt();
      boolean live =
          core.attempt(attempt.id().job())
              .filter(known -> known.id().equals(attempt.id()))
              .isPresent();
      if (!live) {
        continue;
      }
      ended++;
      for (int worker = 0; worker < attempt.workers().size(); worker++) {
        inputs.add(
            attempt.stop().isPresent()
                ? new Input.WorkerStopped(attempt.id(), worker)
                : new Input.WorkerExited(attempt.id(), worker, 0));
      }
    }
    return inputs.isEmpty() ? List.of(new Input.TimePassed()) : inputs;
  }
}
