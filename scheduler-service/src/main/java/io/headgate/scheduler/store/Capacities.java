package io.headgate.scheduler.store;

import io.headgate.scheduler.runtime.record.UsageReader.Asked;
import io.headgate.scheduler.runtime.record.UsageReader.Capacity;
import io.headgate.scheduler.store.UsagePeriods.Period;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jooq.DSLContext;
import org.jooq.Record;

/// The capacity of pools in a period.
final class Capacities {
  private static final List<String> PARTS =
      List.of(
          "capacity",
          "entitled",
          "over_reservation",
          "above_limit",
          "held",
          "idle",
          "unusable",
          "down");

  private static final String SUMMED =
      """
      select tenant, pool, sum(capacity) as capacity, sum(entitled) as entitled,
        sum(over_reservation) as over_reservation, sum(above_limit) as above_limit,
        sum(held) as held, sum(idle) as idle, sum(unusable) as unusable, sum(down) as down
      from %s where at >= ?::timestamptz and at < ?::timestamptz group by tenant, pool\
      """;

  private Capacities() {}

  static List<Capacity> of(DSLContext sql, Asked asked, UsagePeriods periods) {
    Map<String, Map<String, BigInteger>> pools = new TreeMap<>();
    add(sql, asked, periods.days(), SUMMED.formatted("pool_day"), pools);
    add(sql, asked, periods.hours(), SUMMED.formatted("pool_hour"), pools);
    add(sql, asked, periods.rest(), UsageRollup.POOLS, pools);
    List<Capacity> capacities = new ArrayList<>();
    pools.forEach((pool, sums) -> {
      if (sums.values().stream().anyMatch(sum -> sum.signum() != 0)) {
        capacities.add(
            new Capacity(
                pool,
                sum(sums, "capacity"),
                sum(sums, "entitled"),
                sum(sums, "over_reservation"),
                sum(sums, "above_limit"),
                sum(sums, "held"),
                sum(sums, "idle"),
                sum(sums, "unusable"),
                sum(sums, "down")));
      }
    });
    return capacities;
  }

  private static BigInteger sum(Map<String, BigInteger> sums, String part) {
    return sums.getOrDefault(part, BigInteger.ZERO);
  }

  private static void add(
      DSLContext sql,
      Asked asked,
      List<Period> periods,
      String query,
      Map<String, Map<String, BigInteger>> pools) {
    for (Period period : periods) {
      for (Record row : sql.fetch(query, period.from().toString(), period.until().toString())) {
        if (asked.tenant().map(each -> each.name().equals(row.get("tenant"))).orElse(true)) {
          Map<String, BigInteger> sums =
              pools.computeIfAbsent(row.get("pool", String.class), _ -> new TreeMap<>());
          PARTS.forEach(part -> sums.merge(part, row.get(part, BigInteger.class), BigInteger::add));
        }
      }
    }
  }
}
