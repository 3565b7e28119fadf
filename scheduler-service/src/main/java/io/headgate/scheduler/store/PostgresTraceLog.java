package io.headgate.scheduler.store;

import static io.headgate.scheduler.store.jooq.Tables.EVENT;
import static io.headgate.scheduler.store.jooq.Tables.JOB;
import static io.headgate.scheduler.store.jooq.Tables.LEADERSHIP;
import static io.headgate.scheduler.store.jooq.Tables.TRACE_CURSOR;

import io.headgate.scheduler.core.catalog.TenantId;
import io.headgate.scheduler.core.job.JobId;
import io.headgate.scheduler.runtime.record.JobRecord;
import io.headgate.scheduler.runtime.record.Phase;
import io.headgate.scheduler.runtime.trace.TraceLog;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import org.jooq.DSLContext;
import org.jooq.Record;

/// The phases in the table `event`. One leader writes at a time, so versions become visible in
/// their order.
public final class PostgresTraceLog implements TraceLog {
  private static final String PHASES = "phases <> '{}'";

  private final DSLContext sql;

  /// @param sql reaches every tenant's rows
  public PostgresTraceLog(DSLContext sql) {
    this.sql = sql;
  }

  @Override
  public OptionalLong cursor() {
    return sql
        .select(TRACE_CURSOR.VERSION)
        .from(TRACE_CURSOR)
        .fetchOptional(TRACE_CURSOR.VERSION)
        .stream()
        .mapToLong(Long::longValue)
        .findFirst();
  }

  @Override
  public long newest() {
    return sql.select(LEADERSHIP.VERSION).from(LEADERSHIP).fetchSingle().value1();
  }

  @Override
  public List<EndedPhases> read(long after, long upTo) {
    return sql.select(EVENT.VERSION, EVENT.WRITTEN_AT, EVENT.TIME, EVENT.ATTEMPT, EVENT.PHASES)
        .select(EVENT.QUEUE, EVENT.POLICY)
        .select(JOB.ID, JOB.TENANT, JOB.NAME, JOB.CREATED_AT, JOB.PROFILE, JOB.TRACEPARENT)
        .from(EVENT)
        .join(JOB)
        .on(JOB.ID.eq(EVENT.JOB_ID))
        .where(EVENT.VERSION.gt(after), EVENT.VERSION.le(upTo))
        .and(PHASES)
        .orderBy(EVENT.VERSION)
        .fetch(PostgresTraceLog::ended);
  }

  private static EndedPhases ended(Record row) {
    return new EndedPhases(
        row.get(EVENT.VERSION),
        Objects.requireNonNullElseGet(row.get(EVENT.WRITTEN_AT), () -> row.get(EVENT.TIME)),
        row.get(EVENT.ATTEMPT),
        new JobFacts(
            new TenantId(row.get(JOB.TENANT)),
            row.get(JOB.NAME),
            JobRecord.uid(new JobId(row.get(JOB.ID)), row.get(JOB.CREATED_AT)),
            row.get(EVENT.QUEUE),
            row.get(EVENT.POLICY),
            row.get(JOB.PROFILE),
            row.get(JOB.TRACEPARENT)),
        Arrays.stream(row.get(EVENT.PHASES)).map(Phase::parse).toList());
  }

  @Override
  public boolean advance(OptionalLong from, long to) {
    Optional<Long> known = from.isPresent() ? Optional.of(from.getAsLong()) : Optional.empty();
    return known
        .map(version ->
            sql.update(TRACE_CURSOR)
                    .set(TRACE_CURSOR.VERSION, to)
                    .where(TRACE_CURSOR.VERSION.eq(version))
                    .execute()
                == 1)
        .orElseGet(() ->
            sql.insertInto(TRACE_CURSOR)
                    .set(TRACE_CURSOR.VERSION, to)
                    .onConflictDoNothing()
                    .execute()
                == 1);
  }
}
