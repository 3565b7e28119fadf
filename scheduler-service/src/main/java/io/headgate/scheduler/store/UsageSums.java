package io.headgate.scheduler.store;

import io.headgate.scheduler.core.ledger.Price;
import io.headgate.scheduler.core.ledger.UsageInterval;
import io.headgate.scheduler.runtime.record.UsageReader.Sums;
import io.headgate.scheduler.runtime.record.WaitingTimes;
import io.headgate.type.GpuQuantity;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.jooq.Record;

/// Adds up rows of sums and intervals that last.
final class UsageSums {
  /// Unit-milliseconds of an hour of one GPU.
  private static final BigDecimal GPU_HOUR = new BigDecimal(126_000L * 3_600_000L);

  private static final BigInteger UNITS = BigInteger.valueOf(GpuQuantity.UNITS_PER_GPU);

  /// Decimal places of an amount of money.
  private static final int PLACES = 6;

  private BigInteger entitled = BigInteger.ZERO;
  private BigInteger overReservation = BigInteger.ZERO;
  private BigInteger aboveLimit = BigInteger.ZERO;
  private BigInteger held = BigInteger.ZERO;
  private BigInteger busy = BigInteger.ZERO;
  private BigInteger measured = BigInteger.ZERO;
  private BigInteger lost = BigInteger.ZERO;
  private long preemptions;
  private long starts;

  /// Unit-milliseconds times price.
  private final Map<String, BigDecimal> costs = new HashMap<>();

  private final Map<Integer, Long> waits = new HashMap<>();

  /// A row of [UsageSql#sums].
  void add(Record row) {
    BigInteger within = row.get("entitled", BigInteger.class);
    BigInteger over = row.get("over_reservation", BigInteger.class);
    BigInteger above = row.get("above_limit", BigInteger.class);
    use(
        within,
        over,
        above,
        Optional.ofNullable(row.get("price", BigDecimal.class))
            .map(price -> new Price(price, row.get("currency", String.class))));
    held = held.add(row.get("held", BigInteger.class));
    busy = busy.add(row.get("busy", BigInteger.class).multiply(UNITS));
    measured = measured.add(row.get("measured", BigInteger.class).multiply(UNITS));
    lost = lost.add(row.get("lost", BigInteger.class));
    preemptions += row.get("preemptions", long.class);
    starts += row.get("starts", long.class);
  }

  private void use(BigInteger within, BigInteger over, BigInteger above, Optional<Price> price) {
    entitled = entitled.add(within);
    overReservation = overReservation.add(over);
    aboveLimit = aboveLimit.add(above);
    price.ifPresent(each ->
        costs.merge(
            each.currency(),
            each.perGpuHour().multiply(new BigDecimal(within.add(over).add(above))),
            BigDecimal::add));
  }

  /// The part of an interval that lies in the period.
  void add(UsageInterval interval, Instant from, Instant until) {
    Instant begin = interval.from().isBefore(from) ? from : interval.from();
    Instant end = interval.until().isAfter(until) ? until : interval.until();
    if (begin.isBefore(end)) {
      BigInteger millis = BigInteger.valueOf(Duration.between(begin, end).toMillis());
      use(
          millis.multiply(BigInteger.valueOf(interval.split().entitled())),
          millis.multiply(BigInteger.valueOf(interval.split().overReservation())),
          millis.multiply(BigInteger.valueOf(interval.split().aboveLimit())),
          interval.terms().price());
      held = held.add(millis.multiply(BigInteger.valueOf(interval.held())));
    }
    if (interval.waited().isPresent()
        && !interval.from().isBefore(from)
        && interval.from().isBefore(until)) {
      starts++;
      addWait(WaitingTimes.bucket(interval.waited().get()), 1);
    }
  }

  void addWait(int bucket, long jobs) {
    waits.merge(bucket, jobs, Long::sum);
  }

  void add(Sums more) {
    entitled = entitled.add(more.entitled());
    overReservation = overReservation.add(more.overReservation());
    aboveLimit = aboveLimit.add(more.aboveLimit());
    held = held.add(more.held());
    busy = busy.add(more.busy());
    measured = measured.add(more.measured());
    lost = lost.add(more.lost());
    preemptions += more.preemptions();
    starts += more.starts();
    more.waits().forEach(this::addWait);
  }

  /// @param asStated amounts of money that were rounded already; empty: the exact ones, rounded
  Sums sums(Optional<Map<String, BigDecimal>> asStated) {
    return new Sums(
        entitled,
        overReservation,
        aboveLimit,
        held,
        busy,
        measured,
        lost,
        preemptions,
        starts,
        asStated.orElseGet(this::rounded),
        waits);
  }

  private Map<String, BigDecimal> rounded() {
    Map<String, BigDecimal> rounded = new HashMap<>();
    costs.forEach((currency, amount) ->
        rounded.put(currency, amount.divide(GPU_HOUR, PLACES, RoundingMode.HALF_EVEN)));
    return rounded;
  }
}
