package io.headgate.scheduler.store;

import static io.headgate.scheduler.store.jooq.Tables.ATTEMPT;
import static io.headgate.scheduler.store.jooq.Tables.ATTEMPT_WORKER;

import io.headgate.scheduler.core.job.AttemptId;
import io.headgate.scheduler.core.job.JobId;
import io.headgate.scheduler.runtime.record.AttemptRecord;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jooq.Condition;
import org.jooq.DSLContext;
import org.jooq.Record;
import org.jooq.Result;

/// Attempts with their workers.
final class AttemptQuery {
  private AttemptQuery() {}

  /// The attempts that the condition on `attempt` selects, by job and number.
  static List<AttemptRecord> fetch(DSLContext sql, Condition condition) {
    Result<? extends Record> workers =
        sql.select(ATTEMPT_WORKER.fields())
            .from(ATTEMPT_WORKER)
            .join(ATTEMPT)
            .on(ATTEMPT.JOB_ID.eq(ATTEMPT_WORKER.JOB_ID), ATTEMPT.NUMBER.eq(ATTEMPT_WORKER.ATTEMPT))
            .where(condition)
            .orderBy(ATTEMPT_WORKER.JOB_ID, ATTEMPT_WORKER.ATTEMPT, ATTEMPT_WORKER.WORKER)
            .fetch();
    Map<AttemptId, List<Record>> byAttempt = new HashMap<>();
    for (Record worker : workers) {
      AttemptId id =
          new AttemptId(
              new JobId(worker.get(ATTEMPT_WORKER.JOB_ID)), worker.get(ATTEMPT_WORKER.ATTEMPT));
      byAttempt.computeIfAbsent(id, _ -> new ArrayList<>()).add(worker);
    }
    List<AttemptRecord> attempts = new ArrayList<>();
    for (Record row :
        sql.selectFrom(ATTEMPT).where(condition).orderBy(ATTEMPT.JOB_ID, ATTEMPT.NUMBER).fetch()) {
      AttemptId id = new AttemptId(new JobId(row.get(ATTEMPT.JOB_ID)), row.get(ATTEMPT.NUMBER));
      // Both reads are of one snapshot, or of an attempt that was there before its workers were.
      List<Record> own = byAttempt.get(id);
      if (own != null) {
        attempts.add(RowMapper.attempt(row, own));
      }
    }
    return attempts;
  }
}
