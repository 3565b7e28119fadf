package io.headgate.scheduler.store;

import static io.headgate.scheduler.store.jooq.Tables.EVENT;
import static io.headgate.scheduler.store.jooq.Tables.JOB;
import static org.jooq.impl.DSL.exists;
import static org.jooq.impl.DSL.noCondition;
import static org.jooq.impl.DSL.selectOne;

import io.headgate.scheduler.runtime.record.EventRecord;
import io.headgate.scheduler.runtime.record.EventType;
import io.headgate.scheduler.runtime.record.JobReader;
import io.headgate.scheduler.runtime.record.JobReader.EventFilter;
import io.headgate.scheduler.runtime.record.JobReader.EventPage;
import io.headgate.scheduler.runtime.record.JobReader.Events;
import io.headgate.type.Viewer;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Function;
import org.jooq.Condition;
import org.jooq.DSLContext;
import org.jooq.Record;
import org.jooq.Result;
import org.jooq.SortField;
import org.jooq.impl.DSL;

/// Lists of events. A caller that sees few of a tenant's events, or asks for few, would make
/// PostgreSQL look at all the others for one page, so a page looks at a bounded number of events.
final class EventLists {
  /// The time of events rises with their version, but for clocks that were set back between two
  /// leaders by at most this much.
  private static final Duration CLOCK_STEP = Duration.ofMinutes(5);

  /// The last event that a page looks at.
  private record Bound(long version, Instant time) {}

  private EventLists() {}

  /// Newest first.
  ///
  /// @param toEvents reads the rows of the table `event`
  static EventPage page(
      DSLContext sql,
      EventFilter filter,
      OptionalLong before,
      int limit,
      Function<Result<? extends Record>, List<EventRecord>> toEvents) {
    Condition meant = meant(filter);
    if (before.isPresent()) {
      meant = meant.and(EVENT.VERSION.lt(before.getAsLong()));
    }
    Optional<Bound> bound = bound(sql, filter, meant, EVENT.VERSION.desc());
    Condition looked =
        bound.isPresent() ? meant.and(EVENT.VERSION.ge(bound.get().version())) : meant;
    List<EventRecord> events =
        toEvents.apply(
            sql.selectFrom(EVENT)
                .where(looked, wanted(filter), seen(sql, filter))
                .orderBy(EVENT.VERSION.desc())
                .limit(limit)
                .fetch());
    if (events.size() == limit) {
      return new EventPage(events, OptionalLong.of(events.getLast().version()));
    }
    return new EventPage(events, next(bound, filter));
  }

  /// Oldest first.
  ///
  /// @param current version of the watches in this snapshot
  /// @param toEvents reads the rows of the table `event`
  static Events after(
      DSLContext sql,
      EventFilter filter,
      long version,
      int limit,
      long current,
      Function<Result<? extends Record>, List<EventRecord>> toEvents) {
    Condition meant = meant(filter).and(EVENT.VERSION.gt(version));
    Optional<Bound> bound = bound(sql, filter, meant, EVENT.VERSION.asc());
    Condition looked =
        bound.isPresent() ? meant.and(EVENT.VERSION.le(bound.get().version())) : meant;
    List<EventRecord> events =
        toEvents.apply(
            sql.selectFrom(EVENT)
                .where(looked, wanted(filter), seen(sql, filter))
                .orderBy(EVENT.VERSION)
                .limit(limit)
                .fetch());
    return events.size() == limit
        ? new Events(events.getLast().version(), events, true)
        : new Events(bound.map(Bound::version).orElse(current), events, bound.isPresent());
  }

  /// Where the page after one that looked as far as the bound begins; absent: there is none. All
  /// events beyond one that is older than asked for are older, too.
  private static OptionalLong next(Optional<Bound> bound, EventFilter filter) {
    return bound
        .filter(last ->
            filter.after().isEmpty()
                || !last.time().isBefore(filter.after().get().minus(CLOCK_STEP)))
        .map(last -> OptionalLong.of(last.version()))
        .orElse(OptionalLong.empty());
  }

  /// The conditions that an index serves together with the order of versions.
  private static Condition meant(EventFilter filter) {
    Condition meant = EVENT.TENANT.eq(filter.tenant().name());
    if (filter.job().isPresent()) {
      meant = meant.and(EVENT.JOB_ID.eq(filter.job().get().value()));
    }
    if (!filter.byJob().isEmpty()) {
      meant = meant.and(EVENT.BY_JOB.eq(filter.byJob()));
    }
    if (filter.preemptionsOnly() || !filter.byJob().isEmpty()) {
      // It lets the planner use the index of such events.
      meant = meant.and(EVENT.BY_JOB.ne(DSL.inline("")));
    }
    return meant;
  }

  /// The conditions that are tested on each event that is looked at.
  private static Condition wanted(EventFilter filter) {
    Condition wanted = noCondition();
    if (!filter.policy().isEmpty()) {
      wanted = wanted.and(EVENT.POLICY.eq(filter.policy()));
    }
    if (filter.after().isPresent()) {
      wanted = wanted.and(EVENT.TIME.ge(filter.after().get()));
    }
    return wanted;
  }

  /// The last event that is looked at; absent: all are.
  private static Optional<Bound> bound(
      DSLContext sql, EventFilter filter, Condition meant, SortField<Long> order) {
    boolean isAll =
        filter.viewer().seesAll() && filter.policy().isEmpty() && filter.after().isEmpty();
    return isAll
        ? Optional.empty()
        : sql.select(EVENT.VERSION, EVENT.TIME)
            .from(EVENT)
            .where(meant)
            .orderBy(order)
            .offset(JobReader.MOST_EVENTS_LOOKED_AT - 1)
            .limit(1)
            .fetchOptional(row -> new Bound(row.value1(), row.value2()));
  }

  private static Condition seen(DSLContext sql, EventFilter filter) {
    Viewer viewer = filter.viewer();
    if (viewer.seesAll()) {
      return noCondition();
    }
    Condition ofTeams =
        EVENT
            .JOB_ID
            .isNull()
            .and(EVENT.TYPE.ne(EventType.BUDGET.name()))
            .or(EVENT.POLICY.eq(DSL.any(viewer.teams().toArray(new String[0]))));
    return JobLists.mayOwnElsewhere(sql, filter.tenant(), viewer)
        ? ofTeams.or(
            exists(
                selectOne()
                    .from(JOB)
                    .where(JOB.ID.eq(EVENT.JOB_ID), JOB.SUBMITTER.eq(viewer.subject()))))
        : ofTeams;
  }
}
