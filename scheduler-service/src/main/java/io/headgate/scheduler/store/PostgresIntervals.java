package io.headgate.scheduler.store;

import io.headgate.kit.auth.Principals;
import io.headgate.kit.db.Database;
import io.headgate.kit.db.Reach;
import io.headgate.scheduler.core.ledger.Ledger;
import io.headgate.scheduler.runtime.record.IntervalReader;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jooq.DSLContext;
import org.jooq.Record;

/// The intervals of the ledger in PostgreSQL. Each page comes from one snapshot.
///
/// A page is searched in windows of time: the first window begins at the last position, and each
/// further one is longer. Indexes find the intervals of a tenant and of a job. Every other filter
/// reads all intervals of the tenant in the window. So a page ends after [#MOST_SEARCHED], even if
/// it is not full: at a million intervals a month, a page that finds nothing reads 170,000 of them,
/// which takes about a second.
public final class PostgresIntervals implements IntervalReader {
  private static final Duration FIRST_WINDOW = Duration.ofHours(6);
  private static final int GROWTH = 4;

  /// The longest time in which one page searches for ended intervals.
  static final Duration MOST_SEARCHED = Duration.ofHours(126);

  private final Database database;

  public PostgresIntervals(Database database) {
    this.database = database;
  }

  /// @param reached everything before is found; empty: everything
  private record Found(Map<Position, SliceInterval> slices, Optional<Position> reached) {}

  @Override
  public Page page(Asked asked, Open open, Optional<Position> after, int limit) {
    // A call reaches no more than its caller may, whatever it asks for.
    Reach reach =
        Principals.find().isPresent() ? Principals.reach() : Reach.of(asked.tenant().name());
    TreeMap<Position, SliceInterval> page = new TreeMap<>();
    open.intervals().forEach(each -> put(page, IntervalSlices.of(asked, each)));
    open.down().forEach(step -> put(page, DownIntervals.of(asked, step)));
    Found ended = database.snapshot(reach, sql -> ended(sql, asked, after, limit));
    // An interval that ended in the very millisecond of the question is told by both.
    page.putAll(ended.slices());
    SortedMap<Position, SliceInterval> rest =
        after.isPresent() ? page.tailMap(after.get(), false) : page;
    // Intervals that last and were not looked at began later, and so after the period.
    Optional<Position> lasting =
        open.reached().filter(position -> position.since().isBefore(asked.until()));
    Optional<Position> end =
        Stream.of(lasting, ended.reached())
            .flatMap(Optional::stream)
            .min(Comparator.naturalOrder());
    List<SliceInterval> slices =
        rest.values().stream()
            .takeWhile(slice -> end.isEmpty() || slice.position().compareTo(end.get()) <= 0)
            .limit(limit)
            .toList();
    return new Page(
        slices, slices.size() == limit ? Optional.of(slices.getLast().position()) : end);
  }

  private static void put(Map<Position, SliceInterval> page, List<SliceInterval> slices) {
    slices.forEach(slice -> page.put(slice.position(), slice));
  }

  private static Found ended(DSLContext sql, Asked asked, Optional<Position> after, int limit) {
    Map<Position, SliceInterval> found = new TreeMap<>();
    Instant begin = after.map(Position::since).orElse(asked.from().minus(Ledger.LONGEST));
    Instant last = begin.plus(MOST_SEARCHED);
    put(found, DownIntervals.ended(sql, asked, begin, last, after, limit));
    Duration window = FIRST_WINDOW;
    int left = limit;
    while (left > 0 && begin.isBefore(asked.until())) {
      if (!begin.isBefore(last)) {
        return new Found(found, Optional.of(Position.before(begin)));
      }
      Instant end = begin.plus(window);
      IntervalSql query = IntervalSql.ended(asked, begin, end, after, left);
      for (Record row : sql.fetch(query.text(), query.binds())) {
        SliceInterval slice = IntervalSlices.of(asked, row);
        found.put(slice.position(), slice);
        left--;
      }
      begin = end;
      window = window.multipliedBy(GROWTH);
    }
    return new Found(found, Optional.empty());
  }
}
