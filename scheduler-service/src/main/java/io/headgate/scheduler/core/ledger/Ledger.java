package io.headgate.scheduler.core.ledger;

import io.headgate.scheduler.core.catalog.PolicyId;
import io.headgate.scheduler.core.catalog.PoolId;
import io.headgate.scheduler.core.catalog.QueueId;
import io.headgate.scheduler.core.job.Attempt;
import io.headgate.scheduler.core.job.AttemptId;
import io.headgate.scheduler.core.job.Job;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;

/// Records every interval in which an attempt has slices, and what pools had besides.
///
/// The facts of a decision are told first, by [#begin], [#resume], [#moved], [#end] and [#touch],
/// in their order. Then [#settle] compares the present state with the entries before, and gives the
/// intervals that are over. So several changes at one time are one, and nothing overlaps. Times are
/// whole milliseconds and never decrease; the caller sees to both.
///
/// Confined to the scheduler's thread, and deterministic.
public final class Ledger {
  /// No interval is longer, so that a period is found without looking far beyond its ends.
  public static final Duration LONGEST = Pieces.LONGEST;

  /// A step that lasts is told again after this time, so that old weeks can be deleted.
  static final Duration TOLD_AGAIN = Duration.ofDays(1);

  private final Books books;
  private final UsageCounters counters;
  private final PoolLedger pools;
  private final ShortageLedger shortages;
  private final ReservationLedger reservations;
  private final Map<AttemptId, MeteredAttempt> meters = new HashMap<>();
  private final Map<PolicyId, PolicyMeters> policies = new TreeMap<>();

  private final LastingMeters lasting = new LastingMeters();

  private final Set<MeteredAttempt> changed = new LinkedHashSet<>();

  /// While earlier leaders' state is restored: since when attempts hold their slices.
  private final Map<MeteredAttempt, Instant> told = new LinkedHashMap<>();

  /// How attempts ended; empty: one goes on under another policy.
  private final Map<MeteredAttempt, Optional<UsageInterval.End>> ended = new LinkedHashMap<>();

  public Ledger(Books books) {
    this.books = books;
    this.counters = new UsageCounters();
    this.pools = new PoolLedger(books, counters);
    this.shortages = new ShortageLedger(books);
    this.reservations = new ReservationLedger(books);
  }

  /// Continues with an attempt that has slices.
  ///
  /// @param since when its present interval began; empty: it is not known, and begins anew
  public void restore(Attempt attempt, Job job, Optional<Instant> since) {
    boolean isFirst = since.filter(begin -> !begin.isAfter(attempt.assignedAt())).isPresent();
    MeteredAttempt meter = add(attempt, job, isFirst);
    since.ifPresent(begin -> told.put(meter, begin));
  }

  /// Continues after the last steps that were told.
  public void restore(
      List<PoolStep> steps,
      List<ShortageStep> lacking,
      List<ReservationStep> reserved,
      List<HeldStep> held,
      List<DownStep> down) {
    reserved.forEach(reservations::restore);
    steps.forEach(pools::restore);
    lacking.forEach(shortages::restore);
    held.forEach(pools::restore);
    down.forEach(pools::restore);
  }

  /// Everything was restored. The shares of attempts follow from it: their rights are those of the
  /// last decision.
  public void restored() {
    told.entrySet().stream()
        .sorted(Map.Entry.comparingByValue())
        .forEach(entry -> {
          MeteredAttempt meter = entry.getKey();
          meter.open = new MeteredAttempt.Open(entry.getValue(), meter.split(), terms(meter));
          count(meter, meter.split(), Instant.MIN);
          changed.remove(meter);
          lasting.add(meter, entry.getValue());
        });
    told.clear();
  }

  /// The new attempt got its slices.
  public void begin(Attempt attempt, Job job) {
    add(attempt, job, true);
  }

  /// The suspended attempt got its slices again.
  public void resume(Attempt attempt, Job job) {
    add(attempt, job, false);
  }

  private MeteredAttempt add(Attempt attempt, Job job, boolean isFirst) {
    Holding holding =
        new Holding(
            job.id(),
            attempt.id().number(),
            attempt.policy(),
            job.spec().queue(),
            attempt.profile(),
            job.spec().user(),
            attempt.assignment());
    MeteredAttempt meter =
        new MeteredAttempt(
            holding,
            attempt.sequence(),
            isFirst ? Optional.of(waited(attempt, job)) : Optional.empty());
    if (meters.put(attempt.id(), meter) != null) {
      throw new IllegalStateException("attempt " + attempt.id() + " has slices already");
    }
    enter(meter);
    return meter;
  }

  private static Duration waited(Attempt attempt, Job job) {
    Duration waited = Duration.between(job.waitingSince(), attempt.assignedAt());
    return waited.isNegative() ? Duration.ZERO : waited;
  }

  private void enter(MeteredAttempt meter) {
    PolicyId policy = meter.holding.policy();
    shortages.touch(policy);
    changed.add(meter);
    if (meter.units > 0) {
      PolicyMeters all = policies.computeIfAbsent(policy, _ -> new PolicyMeters());
      all.configure(books.rights(policy), changed::add);
      all.add(meter, changed::add);
    }
  }

  private void leave(MeteredAttempt meter) {
    PolicyId policy = meter.holding.policy();
    shortages.touch(policy);
    PolicyMeters all = policies.get(policy);
    if (meter.units > 0 && all != null) {
      all.remove(meter, changed::add);
      if (all.isEmpty()) {
        policies.remove(policy);
      }
    }
  }

  /// The attempt counts on the policy that it names now; nothing if it did before.
  public void moved(Attempt attempt, Job job) {
    MeteredAttempt meter = meters.get(attempt.id());
    if (meter != null && !meter.holding.policy().equals(attempt.policy())) {
      end(attempt.id(), Optional.empty());
      MeteredAttempt next = add(attempt, job, false);
      next.waited = meter.open == null ? meter.waited : Optional.empty();
    }
  }

  /// The attempt has no slices any more: it ended, or is suspended. Nothing if it had none.
  public void end(AttemptId id, UsageInterval.End how) {
    end(id, Optional.of(how));
  }

  private void end(AttemptId id, Optional<UsageInterval.End> how) {
    MeteredAttempt meter = meters.remove(id);
    if (meter == null) {
      return;
    }
    leave(meter);
    changed.remove(meter);
    lasting.remove(meter);
    ended.put(meter, how);
  }

  /// Jobs of the queue came, left, or wait for another reason.
  public void touch(QueueId queue) {
    books.policyOf(queue).ifPresent(shortages::touch);
  }

  /// Compares the present state with the entries before.
  ///
  /// @param now in whole milliseconds
  /// @param reconfigured whether rights, pools or prices may have changed
  public Entries settle(Instant now, boolean reconfigured) {
    counters.begin(now);
    Entries entries = Entries.empty();
    if (reconfigured) {
      policies.forEach((id, all) -> {
        all.configure(books.rights(id), changed::add);
        shortages.touch(id);
      });
      changed.addAll(
          meters.values().stream().sorted((a, b) -> Long.compare(a.sequence, b.sequence)).toList());
    }
    ended.forEach((meter, how) -> {
      count(meter, Split.NONE, now);
      how.ifPresent(
          end -> counters.lost(meter.holding.policy(), meter.holding.place().pool(), end.lost()));
      close(meter, now, how, entries);
    });
    ended.clear();
    for (MeteredAttempt meter : changed) {
      count(meter, meter.split(), now);
      MeteredAttempt.Open next = new MeteredAttempt.Open(now, meter.split(), terms(meter));
      MeteredAttempt.Open open = meter.open;
      if (open == null
          || !open.split().equals(next.split())
          || !open.terms().equals(next.terms())) {
        reopen(meter, next, entries);
      }
    }
    changed.clear();
    pools.settle(now, reconfigured, entries);
    shortages.settle(now, this::used, entries);
    reservations.settle(now, reconfigured, entries);
    return entries;
  }

  private long used(PolicyId policy) {
    PolicyMeters all = policies.get(policy);
    return all == null ? 0 : all.used();
  }

  private void reopen(MeteredAttempt meter, MeteredAttempt.Open next, Entries entries) {
    close(meter, next.since(), Optional.empty(), entries);
    lasting.remove(meter);
    meter.open = next;
    lasting.add(meter, next.since());
    entries.begun().put(idOf(meter), next.since());
  }

  private void count(MeteredAttempt meter, Split split, Instant now) {
    PoolId pool = meter.holding.place().pool();
    if (!split.equals(meter.counted)) {
      pools.count(pool, meter.counted, split);
      counters.count(meter.holding.policy(), pool, meter.counted, split, books.price(pool), now);
      meter.counted = split;
    }
  }

  /// The idle units of the pool that no job could take when it was looked at last.
  public long unusable(PoolId pool) {
    return pools.unusable(pool);
  }

  /// GPU time since this ledger began.
  public UsageTotals totals(Instant now) {
    return counters.totals(now);
  }

  private static void close(
      MeteredAttempt meter, Instant now, Optional<UsageInterval.End> end, Entries entries) {
    MeteredAttempt.Open open = meter.open;
    if (open == null) {
      return;
    }
    Pieces.of(
        open.since(),
        now,
        (from, until, isFirst, isLast) -> {
          entries
              .intervals()
              .add(
                  new UsageInterval(
                      meter.holding,
                      open.terms(),
                      from,
                      until,
                      open.split(),
                      0,
                      isFirst ? meter.waited : Optional.empty(),
                      isLast ? end : Optional.empty()));
        });
    if (open.since().isBefore(now)) {
      meter.waited = Optional.empty();
    }
  }

  /// Ends intervals that have become as long as they may be, and looks again at what changes
  /// without a decision.
  ///
  /// @param limit the most intervals to end
  public Entries cut(Instant now, int limit) {
    counters.begin(now);
    Entries entries = Entries.empty();
    Instant begunUntil = now.minus(LONGEST);
    for (MeteredAttempt meter : lasting.begunUntil(begunUntil, limit)) {
      reopen(meter, new MeteredAttempt.Open(now, meter.split(), terms(meter)), entries);
    }
    pools.cut(begunUntil, now, limit, entries);
    pools.settle(now, false, entries);
    shortages.settle(now, this::used, entries);
    return entries;
  }

  /// The intervals that last, as if they ended now.
  public List<UsageInterval> open(Instant now) {
    return open(lasting.all(), now);
  }

  /// A part of the intervals that last, as if they ended now.
  ///
  /// @param from the first that is looked at
  /// @param limit the most attempts that are looked at
  public LastingPart open(
      Instant now, LastingPart.Begin from, int limit, Predicate<Holding> wanted) {
    LastingMeters.Part part = lasting.from(from, now.minus(LONGEST), limit);
    List<MeteredAttempt> meters =
        part.meters().stream().filter(meter -> wanted.test(meter.holding)).toList();
    return new LastingPart(
        open(meters, now).stream().filter(each -> wanted.test(each.holding())).toList(),
        part.reached());
  }

  private List<UsageInterval> open(Collection<MeteredAttempt> meters, Instant now) {
    Entries entries = Entries.empty();
    for (MeteredAttempt meter : meters) {
      Optional<Duration> waited = meter.waited;
      close(meter, now, Optional.empty(), entries);
      meter.waited = waited;
    }
    pools.open(now, entries);
    return List.copyOf(entries.intervals());
  }

  /// The nodes with slices that are down.
  public List<DownStep> down() {
    return pools.down();
  }

  private Terms terms(MeteredAttempt meter) {
    return terms(books, meter.holding.policy(), meter.holding.place().pool());
  }

  static Terms terms(Books books, PolicyId policy, PoolId pool) {
    Books.Rights rights = books.rights(policy);
    return new Terms(rights.departments(), rights.group(), books.price(pool));
  }

  private static AttemptId idOf(MeteredAttempt meter) {
    return new AttemptId(meter.holding.job(), meter.holding.attempt());
  }
}
