package io.headgate.scheduler.store;

import static io.headgate.scheduler.store.PostgresIntervalsTest.ACME;
import static io.headgate.scheduler.store.PostgresIntervalsTest.BEGIN;
import static io.headgate.scheduler.store.PostgresIntervalsTest.GPU;
import static io.headgate.scheduler.store.PostgresIntervalsTest.OWN;
import static io.headgate.scheduler.store.PostgresIntervalsTest.down;
import static io.headgate.scheduler.store.PostgresIntervalsTest.interval;
import static io.headgate.scheduler.store.PostgresIntervalsTest.lasting;
import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.kit.db.Database;
import io.headgate.kit.db.Reach;
import io.headgate.kit.testing.PostgresFixture;
import io.headgate.scheduler.core.ledger.Entries;
import io.headgate.scheduler.core.ledger.UsageInterval;
import io.headgate.scheduler.runtime.record.IntervalReader.Asked;
import io.headgate.scheduler.runtime.record.IntervalReader.Filter;
import io.headgate.scheduler.runtime.record.IntervalReader.Lasting;
import io.headgate.scheduler.runtime.record.IntervalReader.Open;
import io.headgate.scheduler.runtime.record.IntervalReader.Page;
import io.headgate.scheduler.runtime.record.IntervalReader.Position;
import io.headgate.scheduler.runtime.record.IntervalReader.SliceInterval;
import io.headgate.type.Viewer;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/// How far one page of intervals looks, and where it ends.
final class IntervalPagesTest {
  @RegisterExtension static final PostgresFixture POSTGRES = PostgresFixture.of("scheduler");

  private Database database;
  private PostgresIntervals intervals;

  @BeforeEach
  void open() {
    database = Database.open(POSTGRES.fresh());
    intervals = new PostgresIntervals(database);
  }

  @AfterEach
  void close() {
    database.close();
  }

  private void write(List<UsageInterval> rows) {
    Entries entries = Entries.empty();
    entries.intervals().addAll(rows);
    write(entries);
  }

  private void write(Entries entries) {
    Script script = new Script();
    UsageRows.add(script, entries);
    database.acrossTenants(1).connection(script::run);
  }

  private List<SliceInterval> all(Asked asked, int size) {
    List<SliceInterval> all = new ArrayList<>();
    Optional<Position> after = Optional.empty();
    do {
      Page page = intervals.page(asked, Open.NOTHING, after, size);
      all.addAll(page.intervals());
      after = page.next();
    } while (after.isPresent());
    return all;
  }

  @Test
  void aPageLooksAtABoundedTimeAndMayBeEmpty() {
    Instant late = BEGIN.plus(Duration.ofDays(30));
    Instant now = BEGIN.plus(Duration.ofDays(31));
    write(
        List.of(
            interval(1, "a", OWN, List.of("n"), BEGIN.plusSeconds(1), Duration.ofHours(1)),
            interval(2, "a", OWN, List.of("n"), late, Duration.ofHours(1))));
    Asked asked = new Asked(ACME, Viewer.OF_ALL, BEGIN, now, now, Filter.ALL);

    Page first = intervals.page(asked, Open.NOTHING, Optional.empty(), 10);
    Page second = intervals.page(asked, Open.NOTHING, first.next(), 10);

    assertThat(first.intervals()).extracting(each -> each.position().job()).containsExactly(1L);
    assertThat(first.next())
        .hasValueSatisfying(next ->
            assertThat(next.since())
                .isBefore(BEGIN.plus(PostgresIntervals.MOST_SEARCHED).plusSeconds(1)));
    assertThat(second.intervals()).isEmpty();
    assertThat(second.next()).isPresent();
    assertThat(all(asked, 10)).extracting(each -> each.position().job()).containsExactly(1L, 2L);
  }

  @Test
  void aPageEndsWhereTheLeaderStoppedLooking() {
    Instant now = BEGIN.plus(Duration.ofHours(2));
    write(
        List.of(
            interval(1, "a", OWN, List.of("n"), BEGIN.plusSeconds(1), Duration.ofHours(1)),
            interval(3, "a", OWN, List.of("n"), BEGIN.plusSeconds(3), Duration.ofHours(1))));
    Asked asked = new Asked(ACME, Viewer.OF_ALL, BEGIN, now, now, Filter.ALL);
    Lasting lasting = lasting(2, "a", OWN, "users/ada");
    Optional<Position> reached =
        Optional.of(new Position(BEGIN.plusSeconds(2), 2, 1, Integer.MAX_VALUE));

    Page page =
        intervals.page(asked, new Open(List.of(lasting), List.of(), reached), Optional.empty(), 10);

    assertThat(page.intervals())
        .as("what began later comes with what lasts since then")
        .extracting(each -> each.position().job())
        .containsExactly(1L, 2L);
    assertThat(page.next()).isEqualTo(reached);
  }

  /// Otherwise each attempt that runs would cost a part of an empty page.
  @Test
  void aListOfThePastDoesNotGoOnBecauseOfWhatBeganLater() {
    Instant now = BEGIN.plus(Duration.ofDays(3));
    Asked asked =
        new Asked(ACME, Viewer.OF_ALL, BEGIN, BEGIN.plus(Duration.ofHours(1)), now, Filter.ALL);
    Open open =
        new Open(
            List.of(),
            List.of(),
            Optional.of(new Position(asked.until(), 2, 1, Integer.MAX_VALUE)));

    Page page = intervals.page(asked, open, Optional.empty(), 10);

    assertThat(page.intervals()).isEmpty();
    assertThat(page.next()).isEmpty();
  }

  @Test
  void aPageSearchesWhatWasDownInABoundedTime() {
    Duration hour = Duration.ofHours(1);
    Instant now = BEGIN.plus(Duration.ofDays(31));
    Instant last = BEGIN.plus(PostgresIntervals.MOST_SEARCHED);
    Entries entries = Entries.empty();
    for (Instant at : List.of(BEGIN, last.minusMillis(1), last, BEGIN.plus(Duration.ofDays(30)))) {
      entries.downIntervals().addAll(down("m", at, GPU).until(at.plus(hour)));
    }
    write(entries);
    Asked asked = new Asked(ACME, Viewer.OF_ALL, BEGIN, now, now, Filter.ALL);

    List<SliceInterval> found =
        database.snapshot(
            Reach.of(ACME.name()),
            sql -> DownIntervals.ended(sql, asked, BEGIN, last, Optional.empty(), 10));

    assertThat(found)
        .extracting(each -> each.position().since())
        .containsExactly(BEGIN, last.minusMillis(1));
    assertThat(all(asked, 10)).hasSize(4);
  }

  @Test
  void pagesHaveWhatWasDownInAMonthOnceAndInOrder() {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    Entries entries = Entries.empty();
    for (int i = 0; i < 200; i++) {
      Instant at = BEGIN.plusMillis(random.nextLong(Duration.ofDays(30).toMillis()));
      Instant end = at.plusMillis(1 + random.nextLong(Duration.ofHours(6).toMillis()));
      if (random.nextBoolean()) {
        entries.downIntervals().addAll(down("n-" + i, at, GPU, GPU / 2).until(end));
      } else {
        entries
            .intervals()
            .add(interval(i + 1, "a", OWN, List.of("n"), at, Duration.between(at, end)));
      }
    }
    write(entries);
    int slices = entries.intervals().size() + 2 * entries.downIntervals().size();
    Instant now = BEGIN.plus(Duration.ofDays(31));

    for (int size : List.of(1, 7, 1000)) {
      assertThat(all(new Asked(ACME, Viewer.OF_ALL, BEGIN, now, now, Filter.ALL), size))
          .as("seed %d, pages of %d", seed, size)
          .extracting(SliceInterval::position)
          .hasSize(slices)
          .doesNotHaveDuplicates()
          .isSorted();
    }
  }
}
