package io.headgate.scheduler.core;

import io.headgate.scheduler.core.catalog.PoolId;
import io.headgate.scheduler.core.job.Attempt;
import io.headgate.scheduler.core.job.AttemptEnding;
import io.headgate.scheduler.core.job.AttemptId;
import io.headgate.scheduler.core.job.Job;
import io.headgate.scheduler.core.job.JobId;
import io.headgate.scheduler.core.job.StopCause;
import io.headgate.scheduler.core.job.WorkerStatus;
import io.headgate.scheduler.core.ledger.DownStep;
import io.headgate.scheduler.core.ledger.Entries;
import io.headgate.scheduler.core.ledger.HeldStep;
import io.headgate.scheduler.core.ledger.Holding;
import io.headgate.scheduler.core.ledger.LastingPart;
import io.headgate.scheduler.core.ledger.Ledger;
import io.headgate.scheduler.core.ledger.PoolStep;
import io.headgate.scheduler.core.ledger.Price;
import io.headgate.scheduler.core.ledger.ReservationStep;
import io.headgate.scheduler.core.ledger.ShortageStep;
import io.headgate.scheduler.core.ledger.UsageInterval;
import io.headgate.scheduler.core.ledger.UsageTotals;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Predicate;

/// Feeds the usage ledger with the decisions of a core. Confined to the core's thread.
public final class UsageMeter {
  /// The most intervals that are cut at a time because they became too long.
  private static final int CUTS = 500;

  private final SchedulerCore core;
  private final Ledger ledger;

  /// The last entries of earlier leaders.
  ///
  /// @param since when the present interval of each attempt with slices began
  /// @param pools the last step of each pool
  /// @param shortages the last step of each policy that lacks something
  /// @param reservations the last step of each policy
  /// @param held the last step of each job for which free slices are held
  /// @param down the last step of each node with slices that are down
  public record Told(
      Map<AttemptId, Instant> since,
      List<PoolStep> pools,
      List<ShortageStep> shortages,
      List<ReservationStep> reservations,
      List<HeldStep> held,
      List<DownStep> down) {
    public static final Told NOTHING =
        new Told(Map.of(), List.of(), List.of(), List.of(), List.of(), List.of());

    public Told {
      since = Map.copyOf(since);
      pools = List.copyOf(pools);
      shortages = List.copyOf(shortages);
      reservations = List.copyOf(reservations);
      held = List.copyOf(held);
      down = List.copyOf(down);
    }
  }

  /// Continues where earlier leaders ended.
  ///
  /// @param core in the state of their last decision
  /// @param prices of pools; empty: a pool has none
  public UsageMeter(SchedulerCore core, Function<PoolId, Optional<Price>> prices, Told told) {
    this.core = core;
    this.ledger = new Ledger(core.books(prices));
    core.state().attempts().stream()
        .filter(attempt -> !isSuspended(attempt))
        .sorted(Comparator.comparingLong(Attempt::sequence))
        .forEach(attempt ->
            ledger.restore(
                attempt, job(attempt), Optional.ofNullable(told.since().get(attempt.id()))));
    ledger.restore(told.pools(), told.shortages(), told.reservations(), told.held(), told.down());
    ledger.restored();
  }

  private static boolean isSuspended(Attempt attempt) {
    return attempt.workers().getFirst() == WorkerStatus.SUSPENDED;
  }

  private Job job(Attempt attempt) {
    return core.job(attempt.id().job()).orElseThrow();
  }

  /// The entries that the shell writes with a decision.
  ///
  /// @param now the time of the decision, not before that of an earlier one
  public Entries follow(List<? extends Input> inputs, Decision decision, Instant now) {
    for (Effect effect : decision.effects()) {
      switch (effect) {
        case Effect.StartAttempt(Attempt attempt) -> ledger.begin(attempt, job(attempt));
        case Effect.ResumeAttempt(Attempt attempt) -> ledger.resume(attempt, job(attempt));
        case Effect.AttemptChanged(Attempt attempt) ->
            core.job(attempt.id().job()).ifPresent(job -> ledger.moved(attempt, job));
        case Effect.AttemptSuspended(Attempt attempt) ->
            ledger.end(attempt.id(), new UsageInterval.End(isPreempted(attempt), 0));
        case Effect.AttemptEnded(Attempt attempt, AttemptEnding ending) ->
            ledger.end(attempt.id(), end(attempt, ending, now));
        case Effect.JobChanged(Job job, var _, var _) -> ledger.touch(job.spec().queue());
        case Effect.LaneReasonChanged(var lane, var _) -> ledger.touch(lane.queue());
        case Effect.JobReasonChanged(var id, var _) -> touch(id);
        // The job waits for another reason then.
        case Effect.HoldPlaced(var hold) -> touch(hold.job());
        case Effect.HoldReleased(var id, var _) -> touch(id);
        default -> {
          // It changes no use, except that of pools, which the ledger looks at itself.
        }
      }
    }
    boolean reconfigured = inputs.stream().anyMatch(input -> input instanceof Input.CatalogChanged);
    return ledger.settle(millis(now), reconfigured);
  }

  private void touch(JobId id) {
    core.job(id).ifPresent(job -> ledger.touch(job.spec().queue()));
  }

  private static UsageInterval.End end(Attempt attempt, AttemptEnding ending, Instant now) {
    if (ending instanceof AttemptEnding.Exited || !isPreempted(attempt)) {
      return UsageInterval.End.OWN;
    }
    Optional<Instant> from = attempt.checkpointAt().or(attempt::startedAt);
    long lost = from.map(since -> Duration.between(since, now).toMillis()).orElse(0L);
    return new UsageInterval.End(true, Math.max(0, lost) * attempt.assignment().units());
  }

  private static boolean isPreempted(Attempt attempt) {
    return attempt.stop().filter(order -> order.cause() instanceof StopCause.Preempted).isPresent();
  }

  /// The entries that the shell writes because time has passed.
  public Entries cut(Instant now) {
    return ledger.cut(millis(now), CUTS);
  }

  /// The idle units of the pool that no job could take when it was looked at last, about a second
  /// ago at most.
  public long unusable(PoolId pool) {
    return ledger.unusable(pool);
  }

  /// GPU time since this leader began, for counters.
  public UsageTotals totals(Instant now) {
    return ledger.totals(millis(now));
  }

  /// The intervals that last, as if they ended now.
  public List<UsageInterval> open(Instant now) {
    return ledger.open(millis(now));
  }

  /// A part of them.
  ///
  /// @param from the first that is looked at
  /// @param limit the most attempts that are looked at
  public LastingPart open(
      Instant now, LastingPart.Begin from, int limit, Predicate<Holding> wanted) {
    return ledger.open(millis(now), from, limit, wanted);
  }

  /// The nodes with slices that are down, each since its step.
  public List<DownStep> down() {
    return ledger.down();
  }

  private static Instant millis(Instant time) {
    return time.truncatedTo(ChronoUnit.MILLIS);
  }
}
