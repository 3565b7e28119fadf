package io.headgate.scheduler.store;

import static io.headgate.scheduler.store.jooq.Tables.EVENT;
import static io.headgate.scheduler.store.jooq.Tables.JOB;
import static org.jooq.impl.DSL.exists;
import static org.jooq.impl.DSL.noCondition;
import static org.jooq.impl.DSL.selectOne;

import io.headgate.scheduler.runtime.record.EventRecord;
import io.headgate.scheduler.runtime.record.JobReader;
import io.headgate.scheduler.runtime.record.JobReader.EventFilter;
import io.headgate.scheduler.runtime.record.JobReader.EventPage;
import io.headgate.scheduler.runtime.record.JobReader.Events;
import io.headgate.type.Viewer;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.Function;
import org.jooq.Condition;
import org.jooq.DSLContext;
import org.jooq.Record;
import org.jooq.Result;
import org.jooq.SortField;
import org.jooq.impl.DSL;

/// Lists of events. A caller that sees few of a tenant's events would make PostgreSQL look at all
/// the others for one page, so a page looks at a bounded number of events.
final class EventLists {
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
    OptionalLong bound = bound(sql, filter, meant, EVENT.VERSION.desc());
    Condition looked = bound.isPresent() ? meant.and(EVENT.VERSION.ge(bound.getAsLong())) : meant;
    List<EventRecord> events =
        toEvents.apply(
            sql.selectFrom(EVENT)
                .where(looked, seen(sql, filter))
                .orderBy(EVENT.VERSION.desc())
                .limit(limit)
                .fetch());
    return new EventPage(
        events, events.size() == limit ? OptionalLong.of(events.getLast().version()) : bound);
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
    OptionalLong bound = bound(sql, filter, meant, EVENT.VERSION.asc());
    Condition looked = bound.isPresent() ? meant.and(EVENT.VERSION.le(bound.getAsLong())) : meant;
    List<EventRecord> events =
        toEvents.apply(
            sql.selectFrom(EVENT)
                .where(looked, seen(sql, filter))
                .orderBy(EVENT.VERSION)
                .limit(limit)
                .fetch());
    return events.size() == limit
        ? new Events(events.getLast().version(), events, true)
        : new Events(bound.orElse(current), events, bound.isPresent());
  }

  private static Condition meant(EventFilter filter) {
    Condition meant = EVENT.TENANT.eq(filter.tenant().name());
    if (filter.job().isPresent()) {
      meant = meant.and(EVENT.JOB_ID.eq(filter.job().get().value()));
    }
    if (filter.after().isPresent()) {
      meant = meant.and(EVENT.TIME.ge(filter.after().get()));
    }
    return meant;
  }

  /// Version of the last event that is looked at; absent: all are.
  private static OptionalLong bound(
      DSLContext sql, EventFilter filter, Condition meant, SortField<Long> order) {
    return filter.viewer().seesAll()
        ? OptionalLong.empty()
        : sql
            .select(EVENT.VERSION)
            .from(EVENT)
            .where(meant)
            .orderBy(order)
            .offset(JobReader.MOST_EVENTS_LOOKED_AT - 1)
            .limit(1)
            .fetchOptional(EVENT.VERSION)
            .stream()
            .mapToLong(Long::longValue)
            .findFirst();
  }

  private static Condition seen(DSLContext sql, EventFilter filter) {
    Viewer viewer = filter.viewer();
    if (viewer.seesAll()) {
      return noCondition();
    }
    Condition ofTeams =
        EVENT.JOB_ID.isNull().or(EVENT.POLICY.eq(DSL.any(viewer.teams().toArray(new String[0]))));
    return JobLists.mayOwnElsewhere(sql, filter.tenant(), viewer)
        ? ofTeams.or(
            exists(
                selectOne()
                    .from(JOB)
                    .where(JOB.ID.eq(EVENT.JOB_ID), JOB.SUBMITTER.eq(viewer.subject()))))
        : ofTeams;
  }
}
