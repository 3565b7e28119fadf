package io.headgate.scheduler.store;

import io.headgate.scheduler.core.catalog.TenantId;
import io.headgate.scheduler.core.ledger.UsageInterval;
import io.headgate.scheduler.runtime.record.UsageReader.Asked;
import io.headgate.scheduler.runtime.record.UsageReader.Capacity;
import io.headgate.scheduler.runtime.record.UsageReader.Dimension;
import io.headgate.scheduler.runtime.record.UsageReader.Identity;
import java.math.BigInteger;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jooq.DSLContext;
import org.jooq.Record;

/// Compares the ledger of usage with itself and with events. It reads intervals and steps, and no
/// sums of hours or days.
final class UsageCheck {
  /// Jobs of which both ways are shown where they differ.
  private static final int SHOWN = 10;

  /// The GPU time of a tenant's jobs in a period, by job, from events alone.
  private static final String RECOUNT =
      """
      with period as (select ?::timestamptz as b, ?::timestamptz as e),
      alive as (
        select distinct job_id from attempt, period
        where tenant = ? and assigned_at < e and (ended_at is null or ended_at > b)),
      told as (
        select event.job_id, type, date_trunc('milliseconds', time) as at,
          lead(date_trunc('milliseconds', time)) over (
            partition by event.job_id order by version) as next
        from event join alive on alive.job_id = event.job_id
        where type in ('ASSIGNED', 'RESUMED', 'SUSPENDED', 'REQUEUED', 'QUEUED', 'FINISHED'))
      select job.name, sum(gpu_units * (extract(epoch from
        greatest(interval '0', least(coalesce(next, e), e) - greatest(at, b))) * 1000)::bigint)
        as amount
      from period, told join job on job.id = told.job_id
      where type in ('ASSIGNED', 'RESUMED') group by job.name\
      """;

  private static final String LEDGER =
      """
      select job.name, sum((entitled + over_reservation + above_limit) * (extract(epoch from
        least(until, ?::timestamptz) - greatest(since, ?::timestamptz)) * 1000)::bigint) as amount
      from usage_interval join job on job.id = usage_interval.job_id
      where usage_interval.tenant = ? and attempt > 0 and until > ?::timestamptz
        and since < ?::timestamptz and until <= least(?::timestamptz + interval '6 hours', ?::timestamptz)
      group by job.name\
      """;

  private UsageCheck() {}

  static List<Identity> of(DSLContext sql, Asked asked, List<UsageInterval> open) {
    List<Identity> identities = new ArrayList<>();
    UsagePeriods periods = UsagePeriods.of(asked.from(), asked.until(), Instant.MIN, Instant.MIN);
    Map<String, UsageSums> byPool = byPool(sql, asked, periods, open);
    for (Capacity pool : Capacities.of(sql, asked, periods)) {
      identities.add(
          new Identity(
              "pool " + pool.pool() + ": capacity",
              pool.capacity(),
              pool.parts(),
              "entitled + over + above + held + idle + down"));
      String name =
          asked.tenant().filter(TenantId.PLATFORM::equals).isPresent()
              ? TenantId.PLATFORM + "/" + pool.pool()
              : pool.pool();
      var sums = byPool.getOrDefault(name, new UsageSums()).sums(Optional.of(Map.of()));
      identities.add(
          new Identity(
              "pool " + pool.pool() + ": entitled",
              pool.entitled(),
              sums.entitled(),
              "sum over attempts"));
      identities.add(
          new Identity(
              "pool " + pool.pool() + ": over reservation and above limit",
              pool.overReservation().add(pool.aboveLimit()),
              sums.overReservation().add(sums.aboveLimit()),
              "sum over attempts"));
      identities.add(
          new Identity(
              "pool " + pool.pool() + ": held", pool.held(), sums.held(), "sum over holds"));
    }
    asked.tenant().ifPresent(tenant -> identities.addAll(events(sql, asked, tenant, open)));
    return identities;
  }

  private static Map<String, UsageSums> byPool(
      DSLContext sql, Asked asked, UsagePeriods periods, List<UsageInterval> open) {
    // A shared pool is used by all tenants.
    Asked all =
        asked.tenant().filter(TenantId.PLATFORM::equals).isPresent()
            ? new Asked(Optional.empty(), asked.viewer(), asked.from(), asked.until(), asked.asOf())
            : asked;
    Map<String, UsageSums> byPool = new TreeMap<>();
    UsageSql sums = UsageSql.sums(all, List.of(Dimension.POOL), periods);
    for (Record row : sql.fetch(sums.text(), sums.binds())) {
      byPool.computeIfAbsent(row.get("pool", String.class), _ -> new UsageSums()).add(row);
    }
    for (UsageInterval interval : open) {
      if (OpenIntervals.isAskedFor(all, interval)) {
        byPool
            .computeIfAbsent(
                OpenIntervals.keys(interval, List.of(Dimension.POOL)).getFirst(),
                _ -> new UsageSums())
            .add(interval, asked.from(), asked.until());
      }
    }
    return byPool;
  }

  private static List<Identity> events(
      DSLContext sql, Asked asked, TenantId tenant, List<UsageInterval> open) {
    String from = asked.from().toString();
    String until = asked.until().toString();
    Map<String, BigInteger> recount = new TreeMap<>();
    for (Record row : sql.fetch(RECOUNT, from, until, tenant.name())) {
      add(recount, row.get("name", String.class), row.get("amount", BigInteger.class));
    }
    Map<String, BigInteger> ledger = new TreeMap<>();
    for (Record row :
        sql.fetch(
            LEDGER, until, from, tenant.name(), from, until, until, asked.asOf().toString())) {
      add(ledger, row.get("name", String.class), row.get("amount", BigInteger.class));
    }
    Map<Long, String> names = names(sql, asked, open);
    for (UsageInterval interval : open) {
      String name = names.get(interval.holding().job().value());
      if (name != null && !interval.holding().isHeld()) {
        UsageSums sums = new UsageSums();
        sums.add(interval, asked.from(), asked.until());
        var part = sums.sums(Optional.of(Map.of()));
        add(ledger, name, part.entitled().add(part.overReservation()).add(part.aboveLimit()));
      }
    }
    List<Identity> identities = new ArrayList<>();
    identities.add(
        new Identity("jobs: used", sum(ledger), sum(recount), "from assignment to end, by events"));
    Map<String, BigInteger> all = new TreeMap<>(ledger);
    recount.forEach((name, amount) -> all.putIfAbsent(name, BigInteger.ZERO));
    all.keySet().stream()
        .map(name ->
            new Identity(
                "job " + name + ": used",
                ledger.getOrDefault(name, BigInteger.ZERO),
                recount.getOrDefault(name, BigInteger.ZERO),
                "from assignment to end, by events"))
        .filter(identity -> !identity.closes())
        .limit(SHOWN)
        .forEach(identities::add);
    return identities;
  }

  private static Map<Long, String> names(DSLContext sql, Asked asked, List<UsageInterval> open) {
    Long[] jobs =
        open.stream()
            .filter(interval -> OpenIntervals.isAskedFor(asked, interval))
            .map(interval -> interval.holding().job().value())
            .distinct()
            .toArray(Long[]::new);
    Map<Long, String> names = new TreeMap<>();
    for (Record row : sql.fetch("select id, name from job where id = any (?)", (Object) jobs)) {
      names.put(row.get("id", Long.class), row.get("name", String.class));
    }
    return names;
  }

  private static void add(Map<String, BigInteger> sums, String name, BigInteger amount) {
    if (amount.signum() != 0) {
      sums.merge(name, amount, BigInteger::add);
    }
  }

  private static BigInteger sum(Map<String, BigInteger> sums) {
    return sums.values().stream().reduce(BigInteger.ZERO, BigInteger::add);
  }
}
