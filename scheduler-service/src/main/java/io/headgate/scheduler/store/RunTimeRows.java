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

/// Counts how long attempts of the newest jobs ran that ended by themselves (O7). PostgreSQL sorts
/// them into the core's buckets, so the rows depend on queues and buckets, not on attempts.
final class RunTimeRows {
  private RunTimeRows() {}

  static List<ObservedRuns> read(DSLContext read) {
    var last =
        read.select(JOB.ID, JOB.TENANT, JOB.QUEUE)
            .from(JOB)
            .orderBy(JOB.ID.desc())
            .limit(LoadedState.LAST_JOBS)
            .asTable("last");
    Field<String> tenant = Objects.requireNonNull(last.field(JOB.TENANT));
    Field<String> queue = Objects.requireNonNull(last.field(JOB.QUEUE));
    Field<Integer> bucket =
        DSL.field(
            "width_bucket(floor(extract(epoch from {0} - {1}) * 1000)::bigint, {2}::bigint[])",
            Integer.class, ATTEMPT.ENDED_AT, ATTEMPT.STARTED_AT, DSL.val(RunTimes.bounds()));
    Map<QueueId, Map<Integer, Integer>> runs = new LinkedHashMap<>();
    read.select(tenant, queue, bucket.as("bucket"), DSL.count())
        .from(last)
        .join(ATTEMPT)
        .on(ATTEMPT.JOB_ID.eq(Objects.requireNonNull(last.field(JOB.ID))))
        .where(ATTEMPT.ENDED_AT.isNotNull())
        .and(ATTEMPT.STARTED_AT.isNotNull())
        .and(ATTEMPT.OUTCOME.in("SUCCEEDED", "FAILED", "TIMED_OUT"))
        .and(ATTEMPT.STOP_CAUSE.isNull().or(ATTEMPT.STOP_CAUSE.eq("WORKER_ENDED")))
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
