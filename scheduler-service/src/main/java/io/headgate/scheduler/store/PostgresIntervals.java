package io.headgate.scheduler.store;

import io.headgate.kit.auth.Principals;
import io.headgate.kit.db.Database;
import io.headgate.kit.db.Reach;
import io.headgate.scheduler.core.ledger.Ledger;
import io.headgate.scheduler.runtime.record.IntervalReader;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jooq.DSLContext;
import org.jooq.Record;

/// The intervals of the ledger in PostgreSQL. Each page comes from one snapshot.
///
/// A page is searched in windows of time, so that its cost does not grow with the period: the first
/// window begins at the last position, and each further one is longer.
public final class PostgresIntervals implements IntervalReader {
  private static final Duration FIRST_WINDOW = Duration.ofHours(6);
  private static final int GROWTH = 4;

  private final Database database;

  public PostgresIntervals(Database database) {
    this.database = database;
  }

  @Override
  public List<SliceInterval> page(
      Asked asked, List<Lasting> lasting, Optional<Position> after, int limit) {
    // A call reaches no more than its caller may, whatever it asks for.
    Reach reach =
        Principals.find().isPresent() ? Principals.reach() : Reach.of(asked.tenant().name());
    TreeMap<Position, SliceInterval> page = new TreeMap<>();
    for (Lasting each : lasting) {
      for (SliceInterval slice : IntervalSlices.of(asked, each)) {
        if (after.isEmpty() || slice.position().compareTo(after.get()) > 0) {
          page.put(slice.position(), slice);
        }
      }
    }
    // An interval that ended in the very millisecond of the question is told by both.
    database.snapshot(reach, sql -> ended(sql, asked, after, limit)).forEach(page::putAll);
    return page.values().stream().limit(limit).toList();
  }

  private static List<Map<Position, SliceInterval>> ended(
      DSLContext sql, Asked asked, Optional<Position> after, int limit) {
    List<Map<Position, SliceInterval>> found = new ArrayList<>();
    Instant begin = after.map(Position::since).orElse(asked.from().minus(Ledger.LONGEST));
    Duration window = FIRST_WINDOW;
    int left = limit;
    while (left > 0 && begin.isBefore(asked.until())) {
      Instant end = begin.plus(window);
      IntervalSql query = IntervalSql.ended(asked, begin, end, after, left);
      Map<Position, SliceInterval> slices = new TreeMap<>();
      for (Record row : sql.fetch(query.text(), query.binds())) {
        SliceInterval slice = IntervalSlices.of(asked, row);
        slices.put(slice.position(), slice);
      }
      found.add(slices);
      left -= slices.size();
      begin = end;
      window = window.multipliedBy(GROWTH);
    }
    return found;
  }
}
