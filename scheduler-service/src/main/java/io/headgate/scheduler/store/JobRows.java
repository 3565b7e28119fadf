package io.headgate.scheduler.store;

import io.headgate.scheduler.core.catalog.QueueId;
import io.headgate.scheduler.core.catalog.TenantId;
import io.headgate.scheduler.core.catalog.UserId;
import io.headgate.scheduler.core.job.Gate;
import io.headgate.scheduler.core.job.HeadroomHold;
import io.headgate.scheduler.core.job.HoldPause;
import io.headgate.scheduler.core.job.Job;
import io.headgate.scheduler.core.job.JobId;
import io.headgate.scheduler.core.job.JobSpec;
import io.headgate.scheduler.core.job.JobState;
import io.headgate.scheduler.core.job.Preemption;
import io.headgate.scheduler.core.job.PreemptionRule;
import io.headgate.scheduler.runtime.record.Cancellation;
import io.headgate.scheduler.runtime.record.JobMetadata;
import io.headgate.scheduler.runtime.record.JobName;
import io.headgate.scheduler.runtime.record.JobRecord;
import io.headgate.type.GpuQuantity;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/// Reads all jobs of a leader, which may be a million and are waited for. They say the same as
/// those of [RowMapper].
final class JobRows {
  private static final String QUERY =
      """
      select id, tenant, name, queue, user_id, priority, preemptible, max_runtime_ms,
        stop_time_ms, suspend_ms, movable,
        preempted_by, preempted_rule, preempted_grounds, preempted_at,
        state, sequence, submitted_at, coalesce(waiting_since, submitted_at), attempts,
        hold_pauses, hold_paused_until, headroom, headroom_start, headroom_until,
        not_before, after_jobs,
        policy, profile, gpu_units, workers, submitter, by_role, labels, traceparent, created_at,
        started_at, finished_at, exit_code, draft_code, draft_message,
        cancelled_by, cancel_reason, simulated, version
      from job where state in ('WAITING', 'ASSIGNED', 'RUNNING', 'STOPPING', 'SUSPENDED')
      """;

  private final BinaryRows rows;

  private JobRows(BinaryRows rows) {
    this.rows = rows;
  }

  /// By id.
  ///
  /// @param lastJob highest id of the jobs that are read; empty: all are
  static List<JobRecord> read(Connection connection, OptionalLong lastJob) throws SQLException {
    try (BinaryRows rows = BinaryRows.of(connection, QUERY + upTo(lastJob) + " order by id")) {
      JobRows jobs = new JobRows(rows);
      List<JobRecord> all = new ArrayList<>();
      while (rows.next()) {
        all.add(jobs.job());
      }
      return all;
    }
  }

  private static String upTo(OptionalLong lastJob) {
    return lastJob.isPresent() ? "and id <= " + lastJob.getAsLong() : "";
  }

  private JobRecord job() {
    JobId id = new JobId(rows.bigint());
    TenantId tenant = rows.shared(new TenantId(rows.text()));
    JobName name = new JobName(tenant, rows.ownText());
    JobSpec spec =
        new JobSpec(
            id,
            rows.shared(new QueueId(tenant, rows.text())),
            rows.shared(new UserId(rows.text())),
            rows.integer(),
            rows.optionalBool(),
            rows.optionalMillis(),
            Duration.ofMillis(rows.bigint()),
            rows.optionalMillis(),
            rows.bool());
    Optional<Preemption> preemption = preemption();
    JobState state = JobState.valueOf(rows.text());
    long sequence = rows.bigint();
    Instant submittedAt = rows.time();
    Job job =
        new Job(
            spec,
            state,
            sequence,
            submittedAt,
            rows.time(),
            rows.integer(),
            preemption,
            holdPause(),
            headroom(tenant),
            gate());
    JobMetadata metadata =
        new JobMetadata(
            name,
            rows.text(),
            rows.text(),
            rows.shared(new GpuQuantity(rows.bigint())),
            rows.integer(),
            rows.text(),
            rows.bool(),
            rows.texts(),
            rows.text(),
            rows.time());
    return new JobRecord(
        metadata, job, course(), draft(), cancellation(), rows.bool(), rows.bigint());
  }

  private Optional<Preemption> preemption() {
    @Nullable Long by = rows.bigintOrNull();
    @Nullable String rule = rows.textOrNull();
    @Nullable String grounds = rows.textOrNull();
    Optional<Instant> at = rows.optionalTime();
    if (by == null) {
      return Optional.empty();
    }
    return Optional.of(
        new Preemption(
            new JobId(by),
            PreemptionRule.valueOf(Objects.requireNonNull(rule)),
            GroundsRow.grounds(Objects.requireNonNull(grounds)),
            at.orElseThrow()));
  }

  private Optional<HoldPause> holdPause() {
    int holds = rows.integer();
    return rows.optionalTime().map(until -> new HoldPause(holds, until));
  }

  private Optional<HeadroomHold> headroom(TenantId tenant) {
    Optional<String> limits = rows.optionalText();
    Optional<Instant> start = rows.optionalTime();
    return HeadroomRow.hold(tenant, limits, start, rows.optionalTime());
  }

  private Gate gate() {
    Optional<Instant> notBefore = rows.optionalTime();
    return GateRow.gate(notBefore, rows.optionalText());
  }

  private JobRecord.Course course() {
    Optional<Instant> startedAt = rows.optionalTime();
    Optional<Instant> finishedAt = rows.optionalTime();
    Optional<Integer> exitCode = rows.optionalInteger();
    return startedAt.isEmpty() && finishedAt.isEmpty() && exitCode.isEmpty()
        ? JobRecord.Course.NONE
        : new JobRecord.Course(startedAt, finishedAt, exitCode);
  }

  private Optional<JobRecord.DraftCause> draft() {
    Optional<String> code = rows.optionalText();
    Optional<String> message = rows.optionalText();
    return code.map(each -> new JobRecord.DraftCause(each, message.orElseThrow()));
  }

  private Optional<Cancellation> cancellation() {
    Optional<String> by = rows.optionalText();
    Optional<String> reason = rows.optionalText();
    return by.map(each -> new Cancellation(each, reason.orElse("")));
  }
}
