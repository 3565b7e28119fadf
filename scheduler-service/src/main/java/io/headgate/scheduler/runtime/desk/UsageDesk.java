package io.headgate.scheduler.runtime.desk;

import io.headgate.scheduler.core.Decision;
import io.headgate.scheduler.core.UsageMeter;
import io.headgate.scheduler.core.catalog.PoolId;
import io.headgate.scheduler.core.job.AttemptId;
import io.headgate.scheduler.core.ledger.DownStep;
import io.headgate.scheduler.core.ledger.Entries;
import io.headgate.scheduler.core.ledger.Holding;
import io.headgate.scheduler.core.ledger.LastingPart;
import io.headgate.scheduler.core.ledger.UsageInterval;
import io.headgate.scheduler.core.ledger.UsageTotals;
import io.headgate.scheduler.runtime.record.AttemptRecord;
import io.headgate.scheduler.runtime.record.AttemptRecord.Metered;
import io.headgate.scheduler.runtime.record.LoadedState;
import io.headgate.scheduler.runtime.record.SliceUse;
import java.time.Instant;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Stream;

/// Keeps the ledger of usage in step with decisions: what it says is written in the transaction of
/// the decision. Confined to the loop.
public final class UsageDesk {
  private final LeaderState state;
  private final UsageMeter meter;
  private final Instant lastTold;

  /// @param state with the core and the catalogs of the last decision
  UsageDesk(LeaderState state, LoadedState loaded) {
    this.state = state;
    Map<AttemptId, Instant> since = new HashMap<>();
    for (AttemptRecord attempt : loaded.attempts()) {
      attempt.metered().ifPresent(interval -> since.put(attempt.id(), interval.since()));
    }
    LoadedState.UsageTold told = loaded.usage();
    this.lastTold =
        Stream.of(
                since.values().stream(),
                told.pools().stream().map(step -> step.at()),
                told.shortages().stream().map(step -> step.at()),
                told.reservations().stream().map(step -> step.at()),
                told.held().stream().map(step -> step.at()),
                told.down().stream().map(step -> step.at()))
            .flatMap(times -> times)
            .max(Instant::compareTo)
            .orElse(Instant.MIN);
    this.meter =
        new UsageMeter(
            state.core,
            pool -> state.catalog.price(pool),
            new UsageMeter.Told(
                since,
                told.pools(),
                told.shortages(),
                told.reservations(),
                told.held(),
                told.down()));
  }

  /// The latest time of which earlier leaders told something.
  public Instant lastTold() {
    return lastTold;
  }

  /// Adds what a decision changed; called when its effects are recorded.
  public void follow(LoopTurn turn, Decision decision) {
    add(turn, meter.follow(turn.inputs(), decision, turn.now()));
  }

  /// Ends intervals that became too long.
  public void cut(LoopTurn turn) {
    add(turn, meter.cut(turn.now()));
  }

  private void add(LoopTurn turn, Entries entries) {
    measure(turn, entries.intervals());
    entries
        .begun()
        .forEach((id, since) ->
            attempt(turn, id)
                .ifPresent(attempt -> {
                  SliceUse use = attempt.use();
                  keep(
                      turn,
                      attempt.metered(new Metered(since, use.busyMillis(), use.measuredMillis())));
                }));
    turn.usage.add(entries);
  }

  /// States how busy the intervals were: what agents have reported since the interval before.
  private void measure(LoopTurn turn, List<UsageInterval> intervals) {
    Map<AttemptId, Integer> last = new LinkedHashMap<>();
    for (int i = 0; i < intervals.size(); i++) {
      Holding holding = intervals.get(i).holding();
      if (!holding.isHeld()) {
        last.put(new AttemptId(holding.job(), holding.attempt()), i);
      }
    }
    last.forEach((id, index) ->
        attempt(turn, id)
            .ifPresent(attempt -> {
              SliceUse use = attempt.use();
              Metered told = attempt.metered().orElse(new Metered(Instant.MIN, 0, 0));
              long measured = use.measuredMillis() - told.measuredMillis();
              if (measured > 0) {
                long busy = Math.clamp(use.busyMillis() - told.busyMillis(), 0, measured);
                intervals.set(
                    index, intervals.get(index).with(new UsageInterval.Busy(busy, measured)));
              }
              if (attempt.ending().isPresent()) {
                turn.attempts.put(id, attempt.unmetered());
              }
            }));
  }

  /// As it is after the decision, even if it has ended.
  private Optional<AttemptRecord> attempt(LoopTurn turn, AttemptId id) {
    return Optional.ofNullable(turn.attempts.get(id)).or(() -> state.jobs.attempt(id));
  }

  private void keep(LoopTurn turn, AttemptRecord attempt) {
    state.jobs.change(attempt);
    turn.attempts.put(attempt.id(), attempt);
  }

  /// GPU time since this leader began.
  UsageTotals totals(Instant now) {
    return meter.totals(now);
  }

  /// The idle units of the pool that no job could take when it was looked at last.
  long unusable(PoolId pool) {
    return meter.unusable(pool);
  }

  /// A part of them.
  LastingPart open(Instant now, LastingPart.Begin from, int limit, Predicate<Holding> wanted) {
    return meter.open(now, from, limit, wanted);
  }

  /// The nodes with slices that are down.
  List<DownStep> down() {
    return meter.down();
  }

  /// The intervals that last, as if they ended in the turn that asks.
  List<UsageInterval> open(Instant now) {
    return meter.open(now);
  }
}
