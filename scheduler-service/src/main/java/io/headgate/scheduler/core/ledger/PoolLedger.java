package io.headgate.scheduler.core.ledger;

import io.headgate.scheduler.core.catalog.PoolId;
import io.headgate.scheduler.core.job.JobId;
import io.headgate.scheduler.core.node.NodeId;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/// Follows the balances of pools, the free slices that are held for jobs, and those that are down.
final class PoolLedger {
  /// The age of the unusable part at most: it costs more than the rest.
  private static final Duration LOOK_AGAIN = Duration.ofSeconds(1);

  private final Books books;
  private final UsageCounters counters;
  private final DownLedger down;
  private final Map<PoolId, Known> pools = new TreeMap<>();
  private Instant lookAgainAt = Instant.MIN;

  /// A pool as it was told last.
  private static final class Known {
    private long version = -1;
    private long units;
    private Split used = Split.NONE;
    private boolean usedChanged;
    private PoolBalance told = PoolBalance.NOTHING;
    private Instant toldAt = Instant.MAX;

    /// Whether the balance has changed since the unusable part was computed.
    private boolean isOld;

    private final Map<JobId, HeldStep> held = new LinkedHashMap<>();
  }

  /// @param counters told of each balance
  PoolLedger(Books books, UsageCounters counters) {
    this.books = books;
    this.counters = counters;
    this.down = new DownLedger(books);
  }

  /// The use of the pool has changed.
  void count(PoolId pool, Split less, Split more) {
    Known known = known(pool);
    known.used = known.used.minus(less).plus(more);
    known.usedChanged = true;
  }

  void restore(PoolStep step) {
    Known known = known(step.pool());
    known.told = step.balance();
    known.toldAt = step.balance().equals(PoolBalance.NOTHING) ? Instant.MAX : step.at();
    counters.count(step.pool(), step.balance(), Instant.MIN);
  }

  void restore(HeldStep step) {
    step.held().ifPresent(held -> known(held.holding().place().pool()).held.put(step.job(), step));
  }

  void restore(DownStep step) {
    down.restore(step);
  }

  private Known known(PoolId pool) {
    return pools.computeIfAbsent(pool, _ -> new Known());
  }

  /// Tells what has changed.
  ///
  /// @param all whether terms may have changed too
  void settle(Instant now, boolean all, Entries entries) {
    boolean looks = !now.isBefore(lookAgainAt);
    lookAgainAt = looks ? now.plus(LOOK_AGAIN) : lookAgainAt;
    List<PoolId> changed = new ArrayList<>();
    books.pools((pool, version, units) -> {
      Known known = known(pool);
      if (all || known.version != version || known.units != units || known.usedChanged) {
        known.version = version;
        known.units = units;
        known.usedChanged = false;
        known.isOld = true;
        changed.add(pool);
      } else if (looks && known.isOld) {
        changed.add(pool);
      }
    });
    // By job: a hold may leave one pool for another, and then the other step counts.
    Map<JobId, HeldStep> steps = new LinkedHashMap<>();
    Map<NodeId, DownStep> downSteps = new TreeMap<>();
    for (PoolId pool : changed) {
      Known known = known(pool);
      Books.Figures figures = books.figures(pool);
      long kept = down.settle(pool, figures.downVersion(), now, entries, downSteps);
      long idle = figures.idle() - kept;
      PoolBalance balance =
          new PoolBalance(
              figures.used() + figures.held() + figures.idle() + figures.down(),
              known.used,
              figures.held(),
              idle,
              unusable(known, pool, idle, looks),
              figures.down() + kept);
      if (!balance.equals(known.told)) {
        tell(known, pool, balance, now, entries);
      }
      if (figures.held() > 0 || !known.held.isEmpty()) {
        settleHeld(known, pool, now, entries, steps);
      }
    }
    entries.held().addAll(steps.values());
    entries.down().addAll(downSteps.values());
  }

  /// The idle units of the pool that no job could take when it was looked at last, at most a second
  /// before the last decision.
  long unusable(PoolId pool) {
    Known known = pools.get(pool);
    return known == null ? 0 : known.told.unusable();
  }

  private void tell(Known known, PoolId pool, PoolBalance balance, Instant now, Entries entries) {
    known.told = balance;
    known.toldAt = balance.equals(PoolBalance.NOTHING) ? Instant.MAX : now;
    entries.pools().add(new PoolStep(pool, now, balance));
    counters.count(pool, balance, now);
  }

  private long unusable(Known known, PoolId pool, long idle, boolean looks) {
    if (!looks) {
      return Math.min(idle, known.told.unusable());
    }
    known.isOld = false;
    return Math.min(idle, books.unusable(pool));
  }

  private void settleHeld(
      Known known, PoolId pool, Instant now, Entries entries, Map<JobId, HeldStep> steps) {
    Map<JobId, HeldStep.Held> present = new LinkedHashMap<>();
    for (Holding holding : books.held(pool)) {
      present.put(
          holding.job(), new HeldStep.Held(holding, Ledger.terms(books, holding.policy(), pool)));
    }
    for (HeldStep step : List.copyOf(known.held.values())) {
      HeldStep.Held before = step.held().orElseThrow();
      HeldStep.Held after = present.get(step.job());
      if (before.equals(after)) {
        present.remove(step.job());
      } else {
        close(step, now, entries);
        known.held.remove(step.job());
        steps.putIfAbsent(step.job(), new HeldStep(step.job(), now, Optional.empty()));
      }
    }
    present.forEach((job, held) -> {
      HeldStep step = new HeldStep(job, now, Optional.of(held));
      known.held.put(job, step);
      steps.put(job, step);
    });
  }

  /// Ends the intervals that began at or before a time, so that none becomes too long.
  ///
  /// @param limit the most nodes of which that of down slices is ended
  void cut(Instant begunUntil, Instant now, int limit, Entries entries) {
    down.cut(begunUntil, now, limit, entries);
    pools.forEach((pool, known) -> {
      if (!known.toldAt.isAfter(now.minus(Ledger.TOLD_AGAIN))) {
        tell(known, pool, known.told, now, entries);
      }
    });
    for (Known known : pools.values()) {
      known.held.replaceAll((job, step) -> {
        if (step.at().isAfter(begunUntil)) {
          return step;
        }
        close(step, now, entries);
        HeldStep next = new HeldStep(job, now, step.held());
        entries.held().add(next);
        return next;
      });
    }
  }

  /// The nodes with slices that are down.
  List<DownStep> down() {
    return down.open();
  }

  /// The intervals that last, as if they ended now.
  void open(Instant now, Entries entries) {
    pools.values().forEach(known -> known.held.values().forEach(step -> close(step, now, entries)));
  }

  private static void close(HeldStep step, Instant now, Entries entries) {
    HeldStep.Held held = step.held().orElseThrow();
    Pieces.of(
        step.at(),
        now,
        (from, until, _, _) ->
            entries
                .intervals()
                .add(
                    new UsageInterval(
                        held.holding(),
                        held.terms(),
                        from,
                        until,
                        Split.NONE,
                        held.holding().place().units(),
                        Optional.empty(),
                        Optional.empty())));
  }
}
