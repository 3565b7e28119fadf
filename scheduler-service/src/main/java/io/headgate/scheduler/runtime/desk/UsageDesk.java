package io.headgate.scheduler.runtime.desk;

import io.headgate.scheduler.core.Decision;
import io.headgate.scheduler.core.UsageMeter;
import io.headgate.scheduler.core.job.AttemptId;
import io.headgate.scheduler.core.ledger.Entries;
import io.headgate.scheduler.core.ledger.UsageInterval;
import io.headgate.scheduler.runtime.record.AttemptRecord;
import io.headgate.scheduler.runtime.record.LoadedState;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
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
      attempt.meteredSince().ifPresent(begin -> since.put(attempt.id(), begin));
    }
    LoadedState.UsageTold told = loaded.usage();
    this.lastTold =
        Stream.of(
                since.values().stream(),
                told.pools().stream().map(step -> step.at()),
                told.shortages().stream().map(step -> step.at()),
                told.reservations().stream().map(step -> step.at()),
                told.held().stream().map(step -> step.at()))
            .flatMap(times -> times)
            .max(Instant::compareTo)
            .orElse(Instant.MIN);
    this.meter =
        new UsageMeter(
            state.core,
            pool -> state.catalog.price(pool),
            new UsageMeter.Told(
                since, told.pools(), told.shortages(), told.reservations(), told.held()));
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
    entries.begun().forEach((id, since) ->
        state
            .jobs
            .attempt(id)
            .ifPresent(attempt -> {
              AttemptRecord metered = attempt.meteredSince(since);
              state.jobs.change(metered);
              turn.attempts.put(id, metered);
            }));
    turn.usage.add(entries);
  }

  /// The intervals that last, as if they ended in the turn that asks.
  List<UsageInterval> open(Instant now) {
    return meter.open(now);
  }
}
