package io.headgate.scheduler.store;

import static io.headgate.scheduler.store.jooq.Tables.ATTEMPT;
import static io.headgate.scheduler.store.jooq.Tables.JOB;

import io.headgate.scheduler.core.SchedulerState.ObservedRuns;
import io.headgate.scheduler.core.catalog.QueueId;
import io.headgate.scheduler.core.catalog.TenantId;
import io.headgate.scheduler.core.job.RunTimes;
import io.headgate.scheduler.runtime.record.LoadedState;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jooq.impl.DSL;

/// Counts how long the newest attempts ran that ended by themselves (O7). PostgreSQL sorts them
/// into the core's buckets, so the rows depend on queues and buckets, not on attempts.
///
/// The newest are those of the highest job ids. A job that waits for its first attempt has no row
/// in `attempt`, so however many wait, the primary key of `attempt` leads to those that ended.
final class RunTimeRows {
  private RunTimeRows() {}

  static List<ObservedRuns> read(DSLContext read) {
    var last =
        read.select(ATTEMPT.JOB_ID, ATTEMPT.STARTED_AT, ATTEMPT.ENDED_AT)
            .from(ATTEMPT)
            .where(ATTEMPT.ENDED_AT.isNotNull())
            .and(ATTEMPT.STARTED_AT.isNotNull())
            .and(ATTEMPT.OUTCOME.in("SUCCEEDED", "FAILED", "TIMED_OUT"))
            .and(ATTEMPT.STOP_CAUSE.isNull().or(ATTEMPT.STOP_CAUSE.eq("WORKER_ENDED")))
            .orderBy(ATTEMPT.JOB_ID.desc(), ATTEMPT.NUMBER.desc())
            .limit(LoadedState.LAST_ATTEMPTS)
            .asTable("last");
    Field<Integer> bucket =
        DSL.field(
            "width_bucket(floor(extract(epoch from {0} - {1}) * 1000)::bigint, {2}::bigint[])",
            Integer.class,
            Objects.requireNonNull(last.field(ATTEMPT.ENDED_AT)),
            Objects.requireNonNull(last.field(ATTEMPT.STARTED_AT)),
            DSL.val(RunTimes.bounds()));
    Map<QueueId, Map<Integer, Integer>> runs = new LinkedHashMap<>();
    read.select(JOB.TENANT, JOB.QUEUE, bucket.as("bucket"), DSL.count())
        .from(last)
        .join(JOB)
        .on(JOB.ID.eq(Objects.requireNonNull(last.field(ATTEMPT.JOB_ID))))
        .groupBy(DSL.inline(1), DSL.inline(2), DSL.inline(3))
        .orderBy(DSL.inline(1), DSL.inline(2), DSL.inline(3))
        .forEach(row ->
            runs.computeIfAbsent(
                    new QueueId(new TenantId(row.value1()), row.value2()),
                    key -> new LinkedHashMap<>())
                .put(row.value3(), row.value4()));
    List<ObservedRuns> observed = new ArrayList<>();
    runs.forEach((id, counts) -> observed.add(new ObservedRuns(id, counts)));
    return observed;
  }
}
