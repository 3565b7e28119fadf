package io.headgate.scheduler.store;

import io.headgate.scheduler.runtime.record.UsageReader.Asked;
import io.headgate.scheduler.runtime.record.UsageReader.Dimension;
import io.headgate.scheduler.runtime.record.UsageReader.Shortage;
import java.math.BigInteger;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jooq.DSLContext;
import org.jooq.Record;

/// The reservations of policies, and the shortages.
final class Reservations {
  private Reservations() {}

  /// Steps of one policy, in order; the last one lasts until the end of the period.
  private record Step(Record row, Instant from, Instant until) {
    long millis() {
      return Duration.between(from, until).toMillis();
    }
  }

  private static final String RESERVATION_STEPS = steps("reservation_step");
  private static final String SHORTAGE_STEPS = steps("shortage_step");

  /// The steps of a period `? to ?`, with the last one before it.
  private static String steps(String table) {
    return """
    with recursive each as (
      (select tenant, policy from %1$s order by tenant, policy limit 1)
      union all
      select next.tenant, next.policy from each, lateral (
        select tenant, policy from %1$s
        where (tenant, policy) > (each.tenant, each.policy)
        order by tenant, policy limit 1) as next),
    period as (select ?::timestamptz as b, ?::timestamptz as e)
    select before.* from period, each, lateral (
      select * from %1$s where tenant = each.tenant and policy = each.policy and at < b
      order by at desc limit 1) as before
    union all
    select %1$s.* from period, %1$s where at >= b and at < e
    order by tenant, policy, at\
    """
        .formatted(table);
  }

  private static void steps(DSLContext sql, Asked asked, String query, Consumer<Step> each) {
    Record before = null;
    for (Record row : sql.fetch(query, asked.from().toString(), asked.until().toString())) {
      if (before != null) {
        boolean isSame =
            before.get("tenant").equals(row.get("tenant"))
                && before.get("policy").equals(row.get("policy"));
        take(asked, before, isSame ? at(row) : asked.until(), each);
      }
      before = row;
    }
    if (before != null) {
      take(asked, before, asked.until(), each);
    }
  }

  private static void take(Asked asked, Record row, Instant until, Consumer<Step> each) {
    Instant from = at(row).isBefore(asked.from()) ? asked.from() : at(row);
    if (from.isBefore(until) && isAskedFor(asked, row)) {
      each.accept(new Step(row, from, until));
    }
  }

  private static Instant at(Record row) {
    return row.get("at", OffsetDateTime.class).toInstant();
  }

  private static boolean isAskedFor(Asked asked, Record row) {
    return asked.tenant().map(tenant -> tenant.name().equals(row.get("tenant"))).orElse(true)
        && asked.viewer().seesTeam(row.get("policy", String.class));
  }

  /// The reserved unit-milliseconds.
  static Map<List<String>, BigInteger> byKeys(DSLContext sql, Asked asked, List<Dimension> by) {
    Map<List<String>, BigInteger> reserved = new HashMap<>();
    steps(
        sql,
        asked,
        RESERVATION_STEPS,
        step ->
            reserved.merge(
                by.stream().map(dimension -> key(step.row(), dimension)).toList(),
                times(step.row().get("reservation", long.class), step.millis()),
                BigInteger::add));
    reserved.values().removeIf(amount -> amount.signum() == 0);
    return reserved;
  }

  private static String key(Record row, Dimension dimension) {
    return dimension == Dimension.DEPARTMENT
        ? PostgresUsage.path(Arrays.asList(row.get("departments", String[].class)))
        : row.get(UsageSql.column(dimension), String.class);
  }

  private static BigInteger times(long units, long millis) {
    return BigInteger.valueOf(units).multiply(BigInteger.valueOf(millis));
  }

  static List<Shortage> shortages(DSLContext sql, Asked asked) {
    Map<String, List<Step>> byPolicy = new TreeMap<>();
    steps(
        sql,
        asked,
        SHORTAGE_STEPS,
        step -> {
          if (step.row().get("missing", long.class) > 0) {
            byPolicy
                .computeIfAbsent(step.row().get("policy", String.class), _ -> new ArrayList<>())
                .add(step);
          }
        });
    Map<List<String>, BigInteger> reserved = byKeys(sql, asked, List.of(Dimension.POLICY));
    List<Shortage> shortages = new ArrayList<>();
    byPolicy.forEach((policy, steps) ->
        shortages.add(
            shortage(policy, steps, reserved.getOrDefault(List.of(policy), BigInteger.ZERO))));
    return shortages;
  }

  private static Shortage shortage(String policy, List<Step> steps, BigInteger reserved) {
    BigInteger missing = BigInteger.ZERO;
    long millis = 0;
    long longest = 0;
    long running = 0;
    Instant end = Instant.MIN;
    Map<String, Shortage.Part> reasons = new HashMap<>();
    for (Step step : steps) {
      BigInteger amount = times(step.row().get("missing", long.class), step.millis());
      missing = missing.add(amount);
      millis += step.millis();
      running = step.from().equals(end) ? running + step.millis() : step.millis();
      longest = Math.max(longest, running);
      end = step.until();
      reasons.merge(
          step.row().get("reason", String.class),
          new Shortage.Part(amount, Duration.ofMillis(step.millis())),
          (a, b) ->
              new Shortage.Part(a.missing().add(b.missing()), a.duration().plus(b.duration())));
    }
    return new Shortage(
        policy, reserved, missing, Duration.ofMillis(millis), Duration.ofMillis(longest), reasons);
  }
}
