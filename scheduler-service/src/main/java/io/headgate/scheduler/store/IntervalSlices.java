package io.headgate.scheduler.store;

import io.headgate.scheduler.core.catalog.TenantId;
import io.headgate.scheduler.core.job.Slice;
import io.headgate.scheduler.core.job.WorkerPlace;
import io.headgate.scheduler.core.ledger.Holding;
import io.headgate.scheduler.core.ledger.Split;
import io.headgate.scheduler.core.ledger.UsageInterval;
import io.headgate.scheduler.runtime.record.IntervalReader;
import io.headgate.scheduler.runtime.record.IntervalReader.Asked;
import io.headgate.scheduler.runtime.record.IntervalReader.Holder;
import io.headgate.scheduler.runtime.record.IntervalReader.Lasting;
import io.headgate.scheduler.runtime.record.IntervalReader.Owned;
import io.headgate.scheduler.runtime.record.IntervalReader.Position;
import io.headgate.scheduler.runtime.record.IntervalReader.SliceInterval;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jooq.Record;

/// Intervals slice by slice, as a caller sees them.
///
/// The parts of an attempt within its reservation and its limit cover its slices in their order: so
/// the parts of all slices add up to those of the attempt. An attempt with two GPUs, 3/2 of them
/// entitled, has one slice that is entitled, and one of which a half is.
final class IntervalSlices {
  private IntervalSlices() {}

  /// The slices of an interval that lasts, as far as they are asked for.
  static List<SliceInterval> of(Asked asked, Lasting lasting) {
    UsageInterval interval = lasting.interval();
    Holding holding = interval.holding();
    TenantId tenant = holding.policy().tenant();
    String pool = SharedNames.text(holding.place().pool());
    boolean isSeen = isSeen(asked, lasting.job(), holding.policy().name());
    if (!interval.from().isBefore(asked.until())
        || !interval.until().isAfter(asked.from())
        || !isAskedFor(asked, tenant, pool, isSeen)
        || !admits(asked.filter().pools(), asked.shown(pool))
        || !admits(asked.filter().jobs(), holding.job())
        || !admits(asked.filter().policies(), holding.policy().name())
        || (!asked.filter().policies().isEmpty() && !isSeen)) {
      return List.of();
    }
    List<SliceInterval> slices = new ArrayList<>();
    long before = 0;
    int number = 0;
    for (WorkerPlace place : holding.place().workers()) {
      String node = asked.shown(SharedNames.text(place.node()));
      for (Slice slice : place.slices()) {
        number++;
        long units = slice.quantity().units();
        if (admits(asked.filter().nodes(), node)) {
          slices.add(
              new SliceInterval(
                  new Position(interval.from(), holding.job().value(), holding.attempt(), number),
                  // A piece of a long interval is over, although it is not written yet.
                  Optional.of(interval.until()).filter(end -> end.isBefore(asked.asOf())),
                  asked.shown(pool),
                  node,
                  slice.device(),
                  slice.uuid(),
                  units,
                  isSeen
                      ? Optional.of(holder(lasting, part(interval.split(), before, units)))
                      : Optional.empty()));
        }
        before += units;
      }
    }
    return slices;
  }

  private static boolean isAskedFor(Asked asked, TenantId tenant, String pool, boolean isSeen) {
    boolean isShared = pool.startsWith(IntervalReader.SHARED);
    return asked.isOfSharedPools()
        ? isShared && (isSeen || asked.viewer().seesAll())
        : asked.tenant().equals(tenant) && (isSeen || !isShared);
  }

  static <T> boolean admits(List<T> filter, T value) {
    return filter.isEmpty() || filter.contains(value);
  }

  private static boolean isSeen(Asked asked, Optional<Owned> job, String policy) {
    return job.map(known -> asked.viewer().sees(known.submitter(), known.policy()))
        .orElseGet(() -> asked.viewer().seesTeam(policy));
  }

  private static Holder holder(Lasting lasting, Split part) {
    Holding holding = lasting.interval().holding();
    return new Holder(
        holding.policy().tenant(),
        lasting.job().map(Owned::name).orElse(""),
        holding.user().name(),
        holding.policy().name(),
        holding.queue().name(),
        holding.profile().name(),
        part.entitled(),
        part.overReservation(),
        part.aboveLimit(),
        lasting.stopping(),
        false);
  }

  /// The part of a slice in the rights of its attempt.
  ///
  /// @param before units of the slices before it
  /// @param units of the slice
  static Split part(Split split, long before, long units) {
    long entitled = overlap(before, units, 0, split.entitled());
    long over = overlap(before, units, split.entitled(), split.overReservation());
    long above =
        overlap(before, units, split.entitled() + split.overReservation(), split.aboveLimit());
    return new Split(entitled, over, above);
  }

  private static long overlap(long begin, long length, long otherBegin, long otherLength) {
    return Math.max(
        0, Math.min(begin + length, otherBegin + otherLength) - Math.max(begin, otherBegin));
  }

  /// The slice of a row of [IntervalSql#ended].
  static SliceInterval of(Asked asked, Record row) {
    Optional<Owned> job =
        Optional.ofNullable(row.get("job_name", String.class))
            .map(name ->
                new Owned(
                    name, row.get("submitter", String.class), row.get("job_policy", String.class)));
    boolean isSeen = isSeen(asked, job, row.get("policy", String.class));
    return new SliceInterval(
        new Position(
            time(row, "since"),
            row.get("job_id", long.class),
            row.get("attempt", int.class),
            row.get("number", int.class)),
        Optional.of(time(row, "until")),
        asked.shown(row.get("pool", String.class)),
        asked.shown(row.get("node", String.class)),
        row.get("device", int.class),
        row.get("uuid", String.class),
        row.get("units", long.class),
        isSeen ? Optional.of(holder(row, job)) : Optional.empty());
  }

  private static Holder holder(Record row, Optional<Owned> job) {
    Split part =
        part(
            new Split(
                row.get("entitled", long.class),
                row.get("over_reservation", long.class),
                row.get("above_limit", long.class)),
            row.get("units_before", long.class),
            row.get("units", long.class));
    return new Holder(
        new TenantId(row.get("tenant", String.class)),
        job.map(Owned::name).orElse(""),
        row.get("user_id", String.class),
        row.get("policy", String.class),
        row.get("queue", String.class),
        row.get("profile", String.class),
        part.entitled(),
        part.overReservation(),
        part.aboveLimit(),
        Optional.empty(),
        row.get("preempted", boolean.class));
  }

  private static Instant time(Record row, String column) {
    return row.get(column, OffsetDateTime.class).toInstant();
  }
}
