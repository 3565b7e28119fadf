package io.headgate.scheduler.store;

import io.headgate.kit.auth.Principals;
import io.headgate.kit.db.Database;
import io.headgate.kit.db.Reach;
import io.headgate.scheduler.core.ledger.UsageInterval;
import io.headgate.scheduler.runtime.record.TooManyRowsException;
import io.headgate.scheduler.runtime.record.UsageReader;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import org.jooq.DSLContext;
import org.jooq.Record;

/// The ledger of usage in PostgreSQL. All of an answer comes from one snapshot.
public final class PostgresUsage implements UsageReader {
  /// The most rows of a report.
  public static final int MAX_ROWS = 20_000;

  /// Dimensions whose values are known of a policy itself.
  private static final Set<Dimension> OF_POLICIES =
      Set.of(Dimension.TENANT, Dimension.DEPARTMENT, Dimension.POLICY);

  private static final Comparator<List<String>> BY_KEYS =
      (a, b) -> {
        for (int i = 0; i < a.size(); i++) {
          int order = a.get(i).compareTo(b.get(i));
          if (order != 0) {
            return order;
          }
        }
        return 0;
      };

  private final Database database;

  public PostgresUsage(Database database) {
    this.database = database;
  }

  private <T> T read(Asked asked, Function<DSLContext, T> read) {
    Reach own = asked.tenant().map(tenant -> Reach.of(tenant.name())).orElse(Reach.EVERY_TENANT);
    // A call reaches no more than its caller may, whatever it asks for.
    Reach reach = Principals.find().isPresent() ? Principals.reach() : own;
    return database.snapshot(reach, read);
  }

  @Override
  public Report report(Asked asked, List<Dimension> by, List<UsageInterval> open) {
    return read(
        asked,
        sql -> {
          Map<String, Instant> reaches = reaches(sql);
          UsagePeriods periods = periods(asked, reaches, open);
          Map<List<String>, UsageSums> rows = new TreeMap<>(BY_KEYS);
          UsageSql sums = UsageSql.sums(asked, by, periods);
          for (Record row : sql.fetch(sums.text(), sums.binds())) {
            row(rows, keys(row, by)).add(row);
          }
          if (!by.contains(Dimension.GROUP)) {
            UsageSql waits = UsageSql.waits(asked, by, periods);
            for (Record row : sql.fetch(waits.text(), waits.binds())) {
              row(rows, keys(row, by))
                  .addWait(row.get("bucket", int.class), row.get("starts", long.class));
            }
          }
          for (UsageInterval interval : open) {
            if (OpenIntervals.isAskedFor(asked, interval)) {
              row(rows, OpenIntervals.keys(interval, by))
                  .add(interval, asked.from(), asked.until());
            }
          }
          Map<List<String>, BigInteger> reserved =
              OF_POLICIES.containsAll(by) ? Reservations.byKeys(sql, asked, by) : Map.of();
          reserved.keySet().forEach(keys -> row(rows, keys));
          return report(
              rows,
              reserved,
              OF_POLICIES.containsAll(by),
              Optional.ofNullable(reaches.get("HOUR")));
        });
  }

  private static UsageSums row(Map<List<String>, UsageSums> rows, List<String> keys) {
    UsageSums sums = rows.computeIfAbsent(keys, _ -> new UsageSums());
    if (rows.size() > MAX_ROWS) {
      throw new TooManyRowsException(MAX_ROWS);
    }
    return sums;
  }

  private static Report report(
      Map<List<String>, UsageSums> rows,
      Map<List<String>, BigInteger> reserved,
      boolean knowsReserved,
      Optional<Instant> finalUntil) {
    List<Row> all = new ArrayList<>();
    UsageSums total = new UsageSums();
    Map<String, BigDecimal> costs = new HashMap<>();
    BigInteger reservedInAll = BigInteger.ZERO;
    for (Map.Entry<List<String>, UsageSums> entry : rows.entrySet()) {
      Sums sums = entry.getValue().sums(Optional.empty());
      BigInteger own = reserved.getOrDefault(entry.getKey(), BigInteger.ZERO);
      all.add(new Row(entry.getKey(), knowsReserved ? Optional.of(own) : Optional.empty(), sums));
      total.add(sums);
      sums.costs().forEach((currency, amount) -> costs.merge(currency, amount, BigDecimal::add));
      reservedInAll = reservedInAll.add(own);
    }
    return new Report(
        all,
        new Row(
            List.of(),
            knowsReserved ? Optional.of(reservedInAll) : Optional.empty(),
            total.sums(Optional.of(costs))),
        finalUntil);
  }

  private static List<String> keys(Record row, List<Dimension> by) {
    List<String> keys = new ArrayList<>();
    for (Dimension dimension : by) {
      String column = UsageSql.column(dimension);
      keys.add(
          dimension == Dimension.DEPARTMENT
              ? path(Arrays.asList(row.get(column, String[].class)))
              : row.get(column, String.class));
    }
    return keys;
  }

  /// @param departments the lowest first
  static String path(List<String> departments) {
    List<String> fromTop = new ArrayList<>(departments);
    Collections.reverse(fromTop);
    return String.join("/", fromTop);
  }

  private static Map<String, Instant> reaches(DSLContext sql) {
    Map<String, Instant> reaches = new HashMap<>();
    for (Record row : sql.fetch("select level, until from usage_rollup")) {
      reaches.put(
          row.get("level", String.class), row.get("until", OffsetDateTime.class).toInstant());
    }
    return reaches;
  }

  /// The sums that are read end before the first interval that lasts: an hour may have been summed
  /// up since the leader was asked.
  private static UsagePeriods periods(
      Asked asked, Map<String, Instant> reaches, List<UsageInterval> open) {
    Instant first =
        open.stream().map(UsageInterval::from).min(Instant::compareTo).orElse(Instant.MAX);
    Instant hours = earlier(reaches.getOrDefault("HOUR", Instant.MIN), first);
    Instant days = earlier(reaches.getOrDefault("DAY", Instant.MIN), first);
    return UsagePeriods.of(asked.from(), asked.until(), hours, days);
  }

  private static Instant earlier(Instant a, Instant b) {
    return a.isBefore(b) ? a : b;
  }

  @Override
  public List<Shortage> shortages(Asked asked) {
    return read(asked, sql -> Reservations.shortages(sql, asked));
  }

  @Override
  public List<Capacity> capacities(Asked asked) {
    return read(
        asked,
        sql -> {
          Map<String, Instant> reaches = reaches(sql);
          UsagePeriods periods =
              UsagePeriods.of(
                  asked.from(),
                  asked.until(),
                  reaches.getOrDefault("HOUR", Instant.MIN),
                  reaches.getOrDefault("DAY", Instant.MIN));
          return Capacities.of(sql, asked, periods);
        });
  }

  @Override
  public List<Identity> check(Asked asked, List<UsageInterval> open) {
    return read(asked, sql -> UsageCheck.of(sql, asked, open));
  }
}
