package io.headgate.scheduler.store;

import io.headgate.scheduler.core.job.Slice;
import io.headgate.scheduler.core.ledger.DownInterval;
import io.headgate.scheduler.core.ledger.DownStep;
import io.headgate.scheduler.core.ledger.Ledger;
import io.headgate.scheduler.runtime.record.IntervalReader.Asked;
import io.headgate.scheduler.runtime.record.IntervalReader.Position;
import io.headgate.scheduler.runtime.record.IntervalReader.SliceInterval;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jooq.DSLContext;
import org.jooq.Record;

/// Slices that are or were down, one by one. Everybody of a tenant sees the condition of its nodes.
/// Nodes of shared pools are for viewers that see all of them.
final class DownIntervals {
  private static final String ENDED =
      """
      select since, until, pool, node, slice.*
      from down_interval cross join lateral unnest(devices, device_uuids, device_units)
        with ordinality as slice (device, uuid, units, number)
      where tenant = ? and since >= ?::timestamptz and since < ?::timestamptz
        and until > ?::timestamptz and until <= ?::timestamptz
        and (cardinality(?::text[]) = 0 or pool = any (?::text[]))
        and (cardinality(?::text[]) = 0 or node = any (?::text[]))
        and (since, node collate "C", number) > (?::timestamptz, ?, ?)
      order by since, node collate "C", number limit ?\
      """;

  private DownIntervals() {}

  /// A filter by job or policy asks for use only.
  private static boolean areAskedFor(Asked asked) {
    return asked.filter().includesDown()
        && asked.filter().policies().isEmpty()
        && asked.filter().jobs().isEmpty()
        && (!asked.isOfSharedPools() || asked.viewer().seesAll());
  }

  /// The slices that are down now, as far as they are asked for.
  static List<SliceInterval> of(Asked asked, DownStep step) {
    List<SliceInterval> slices = new ArrayList<>();
    if (!areAskedFor(asked) || !step.node().tenant().equals(asked.tenant())) {
      return slices;
    }
    for (DownInterval interval : step.until(asked.asOf())) {
      if (interval.from().isBefore(asked.until())
          && interval.until().isAfter(asked.from())
          && IntervalSlices.admits(asked.filter().pools(), interval.down().pool().name())
          && IntervalSlices.admits(asked.filter().nodes(), interval.node().name())) {
        int number = 0;
        for (Slice slice : interval.down().slices()) {
          number++;
          slices.add(
              new SliceInterval(
                  new Position(interval.from(), 0, 0, interval.node().name(), number),
                  Optional.of(interval.until()).filter(end -> end.isBefore(asked.asOf())),
                  interval.down().pool().name(),
                  interval.node().name(),
                  slice.device(),
                  slice.uuid(),
                  slice.quantity().units(),
                  Optional.empty()));
        }
      }
    }
    return slices;
  }

  /// The first slices that were down and came down in a window of time, by position.
  static List<SliceInterval> ended(
      DSLContext sql,
      Asked asked,
      Instant begin,
      Instant end,
      Optional<Position> after,
      int limit) {
    if (!areAskedFor(asked)) {
      return List.of();
    }
    Position last = after.orElse(Position.before(begin));
    // Slices that are down come before all others with the same begin.
    boolean isPast = last.job() > 0;
    Instant before = end.isBefore(asked.until()) ? end : asked.until();
    // Partitions are by end: none ends later than six hours after the window.
    Instant latest = before.plus(Ledger.LONGEST);
    Object pools = asked.filter().pools().toArray(new String[0]);
    Object nodes = asked.filter().nodes().toArray(new String[0]);
    return sql.fetch(
            ENDED,
            asked.tenant().name(),
            (isPast ? begin.plusMillis(1) : begin).toString(),
            before.toString(),
            (begin.isAfter(asked.from()) ? begin : asked.from()).toString(),
            (latest.isBefore(asked.asOf()) ? latest : asked.asOf()).toString(),
            pools,
            pools,
            nodes,
            nodes,
            last.since().toString(),
            last.node(),
            isPast ? 0 : last.slice(),
            limit)
        .map(DownIntervals::of);
  }

  private static SliceInterval of(Record row) {
    return new SliceInterval(
        new Position(
            time(row, "since"), 0, 0, row.get("node", String.class), row.get("number", int.class)),
        Optional.of(time(row, "until")),
        row.get("pool", String.class),
        row.get("node", String.class),
        row.get("device", int.class),
        row.get("uuid", String.class),
        row.get("units", long.class),
        Optional.empty());
  }

  private static Instant time(Record row, String column) {
    return row.get(column, OffsetDateTime.class).toInstant();
  }
}
