package io.headgate.scheduler.store;

import static io.headgate.scheduler.store.jooq.Tables.ATTEMPT;
import static io.headgate.scheduler.store.jooq.Tables.ATTEMPT_WORKER;
import static io.headgate.scheduler.store.jooq.Tables.EVENT;
import static io.headgate.scheduler.store.jooq.Tables.HOLD_WORKER;
import static io.headgate.scheduler.store.jooq.Tables.JOB;

import io.headgate.scheduler.core.catalog.Isolation;
import io.headgate.scheduler.core.catalog.PolicyId;
import io.headgate.scheduler.core.catalog.ProfileId;
import io.headgate.scheduler.core.catalog.QueueId;
import io.headgate.scheduler.core.catalog.TenantId;
import io.headgate.scheduler.core.catalog.UserId;
import io.headgate.scheduler.core.job.Assignment;
import io.headgate.scheduler.core.job.Attempt;
import io.headgate.scheduler.core.job.AttemptId;
import io.headgate.scheduler.core.job.Gate;
import io.headgate.scheduler.core.job.HeadroomHold;
import io.headgate.scheduler.core.job.HoldPause;
import io.headgate.scheduler.core.job.Job;
import io.headgate.scheduler.core.job.JobId;
import io.headgate.scheduler.core.job.JobSpec;
import io.headgate.scheduler.core.job.JobState;
import io.headgate.scheduler.core.job.Preemption;
import io.headgate.scheduler.core.job.PreemptionRule;
import io.headgate.scheduler.core.job.Slice;
import io.headgate.scheduler.core.job.StopOrder;
import io.headgate.scheduler.core.job.StopOutcome;
import io.headgate.scheduler.core.job.WorkerPlace;
import io.headgate.scheduler.core.job.WorkerStatus;
import io.headgate.scheduler.runtime.record.AttemptRecord;
import io.headgate.scheduler.runtime.record.Cancellation;
import io.headgate.scheduler.runtime.record.EventRecord;
import io.headgate.scheduler.runtime.record.EventType;
import io.headgate.scheduler.runtime.record.JobMetadata;
import io.headgate.scheduler.runtime.record.JobName;
import io.headgate.scheduler.runtime.record.JobRecord;
import io.headgate.scheduler.runtime.record.Progress;
import io.headgate.scheduler.runtime.record.SliceUse;
import io.headgate.scheduler.runtime.record.WorkerFacts;
import io.headgate.scheduler.runtime.record.WorkerFacts.EndReason;
import io.headgate.type.GpuQuantity;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jooq.Record;
import org.jspecify.annotations.Nullable;

/// Maps rows back to the values from which they were written. An unreadable row throws: skipping it
/// would lose a job.
final class RowMapper {
  private RowMapper() {}

  static JobRecord job(Record row) {
    TenantId tenant = new TenantId(row.get(JOB.TENANT));
    JobSpec spec =
        new JobSpec(
            new JobId(row.get(JOB.ID)),
            new QueueId(tenant, row.get(JOB.QUEUE)),
            new UserId(row.get(JOB.USER_ID)),
            row.get(JOB.PRIORITY),
            Optional.ofNullable(row.get(JOB.PREEMPTIBLE)),
            duration(row.get(JOB.MAX_RUNTIME_MS)),
            Duration.ofMillis(row.get(JOB.STOP_TIME_MS)),
            duration(row.get(JOB.SUSPEND_MS)),
            row.get(JOB.MOVABLE));
    Optional<Preemption> preemption =
        Optional.ofNullable(row.get(JOB.PREEMPTED_BY))
            .map(by ->
                new Preemption(
                    new JobId(by),
                    PreemptionRule.valueOf(row.get(JOB.PREEMPTED_RULE)),
                    GroundsRow.grounds(row.get(JOB.PREEMPTED_GROUNDS)),
                    row.get(JOB.PREEMPTED_AT)));
    Job job =
        new Job(
            spec,
            JobState.valueOf(row.get(JOB.STATE)),
            row.get(JOB.SEQUENCE),
            row.get(JOB.SUBMITTED_AT),
            Objects.requireNonNullElse(row.get(JOB.WAITING_SINCE), row.get(JOB.SUBMITTED_AT)),
            row.get(JOB.ATTEMPTS),
            preemption,
            holdPause(row),
            headroom(row, tenant),
            gate(row));
    JobMetadata metadata =
        new JobMetadata(
            new JobName(tenant, row.get(JOB.NAME)),
            row.get(JOB.POLICY),
            row.get(JOB.PROFILE),
            new GpuQuantity(row.get(JOB.GPU_UNITS)),
            row.get(JOB.WORKERS),
            row.get(JOB.SUBMITTER),
            row.get(JOB.BY_ROLE),
            List.of(row.get(JOB.LABELS)),
            row.get(JOB.TRACEPARENT),
            row.get(JOB.CREATED_AT));
    return new JobRecord(
        metadata,
        job,
        new JobRecord.Course(
            Optional.ofNullable(row.get(JOB.STARTED_AT)),
            Optional.ofNullable(row.get(JOB.FINISHED_AT)),
            Optional.ofNullable(row.get(JOB.EXIT_CODE))),
        Optional.ofNullable(row.get(JOB.DRAFT_CODE))
            .map(code -> new JobRecord.DraftCause(code, row.get(JOB.DRAFT_MESSAGE))),
        Optional.ofNullable(row.get(JOB.CANCELLED_BY))
            .map(by ->
                new Cancellation(by, Objects.requireNonNullElse(row.get(JOB.CANCEL_REASON), ""))),
        row.get(JOB.SIMULATED),
        row.get(JOB.VERSION));
  }

  private static Optional<HoldPause> holdPause(Record row) {
    return Optional.ofNullable(row.get(JOB.HOLD_PAUSED_UNTIL))
        .map(until -> new HoldPause(row.get(JOB.HOLD_PAUSES), until));
  }

  private static Gate gate(Record row) {
    return GateRow.gate(
        Optional.ofNullable(row.get(JOB.NOT_BEFORE)), Optional.ofNullable(row.get(JOB.AFTER_JOBS)));
  }

  private static Optional<HeadroomHold> headroom(Record row, TenantId tenant) {
    return HeadroomRow.hold(
        tenant,
        Optional.ofNullable(row.get(JOB.HEADROOM)),
        Optional.ofNullable(row.get(JOB.HEADROOM_START)),
        Optional.ofNullable(row.get(JOB.HEADROOM_UNTIL)));
  }

  /// @param workers of this attempt, by worker
  static AttemptRecord attempt(Record row, List<? extends Record> workers) {
    TenantId tenant = new TenantId(row.get(ATTEMPT.TENANT));
    List<WorkerPlace> places = new ArrayList<>();
    List<WorkerStatus> statuses = new ArrayList<>();
    List<WorkerFacts> facts = new ArrayList<>();
    for (Record worker : workers) {
      places.add(place(tenant, worker));
      statuses.add(WorkerStatus.valueOf(worker.get(ATTEMPT_WORKER.STATUS)));
      facts.add(facts(worker));
    }
    Attempt attempt =
        new Attempt(
            new AttemptId(new JobId(row.get(ATTEMPT.JOB_ID)), row.get(ATTEMPT.NUMBER)),
            new PolicyId(tenant, row.get(ATTEMPT.POLICY)),
            new ProfileId(tenant, row.get(ATTEMPT.PROFILE)),
            new Assignment(SharedNames.pool(tenant, row.get(ATTEMPT.POOL)), places),
            row.get(ATTEMPT.PREEMPTIBLE),
            row.get(ATTEMPT.SEQUENCE),
            row.get(ATTEMPT.ASSIGNED_AT),
            Optional.ofNullable(row.get(ATTEMPT.STARTED_AT)),
            Optional.ofNullable(row.get(ATTEMPT.CHECKPOINT_AT)),
            statuses,
            stop(row));
    Optional<AttemptRecord.Ending> ending =
        Optional.ofNullable(row.get(ATTEMPT.ENDED_AT))
            .map(at ->
                new AttemptRecord.Ending(
                    at,
                    AttemptRecord.Outcome.valueOf(row.get(ATTEMPT.OUTCOME)),
                    Optional.ofNullable(row.get(ATTEMPT.EXIT_CODE)),
                    Objects.requireNonNullElse(row.get(ATTEMPT.ERROR), "")));
    return new AttemptRecord(
        attempt,
        row.get(ATTEMPT.EPOCH),
        duration(row.get(ATTEMPT.STOP_AFTER_MS)),
        row.get(ATTEMPT.SKIP_CALLBACK),
        Optional.ofNullable(row.get(ATTEMPT.STOP_MESSAGE))
            .map(message ->
                new AttemptRecord.StopNote(
                    Objects.requireNonNullElse(row.get(ATTEMPT.STOP_BY_NAME), ""), message)),
        facts,
        progress(row),
        Optional.ofNullable(row.get(ATTEMPT.METERED_SINCE))
            .map(since ->
                new AttemptRecord.Metered(
                    since,
                    Objects.requireNonNullElse(row.get(ATTEMPT.METERED_BUSY_MS), 0L),
                    Objects.requireNonNullElse(row.get(ATTEMPT.METERED_MEASURED_MS), 0L))),
        ending);
  }

  private static Progress progress(Record row) {
    return new Progress(
        Optional.ofNullable(row.get(ATTEMPT.DONE_PERMYRIAD))
            .map(permyriad ->
                new Progress.Advance(
                    permyriad, row.get(ATTEMPT.PROGRESS_MESSAGE), row.get(ATTEMPT.PROGRESS_AT))),
        row.get(ATTEMPT.CHECKPOINT_MARK));
  }

  private static Optional<StopOrder> stop(Record row) {
    return Optional.ofNullable(row.get(ATTEMPT.STOP_CAUSE))
        .map(cause ->
            new StopOrder(
                new StopRow(
                        cause,
                        Optional.ofNullable(row.get(ATTEMPT.STOP_BY)),
                        Optional.ofNullable(row.get(ATTEMPT.STOP_RULE)),
                        Optional.ofNullable(row.get(ATTEMPT.STOP_GROUNDS)),
                        Optional.ofNullable(row.get(ATTEMPT.STOP_WORKER)),
                        Optional.ofNullable(row.get(ATTEMPT.STOP_ENDING)))
                    .toCause(),
                StopOutcome.valueOf(row.get(ATTEMPT.STOP_OUTCOME)),
                row.get(ATTEMPT.STOP_AT)));
  }

  private static WorkerPlace place(TenantId tenant, Record row) {
    return new WorkerPlace(
        SharedNames.node(tenant, row.get(ATTEMPT_WORKER.NODE)),
        slices(
            row.get(ATTEMPT_WORKER.DEVICES),
            row.get(ATTEMPT_WORKER.DEVICE_UUIDS),
            row.get(ATTEMPT_WORKER.DEVICE_UNITS),
            row.get(ATTEMPT_WORKER.DEVICE_MEMORY_BYTES),
            row.get(ATTEMPT_WORKER.DEVICE_ISOLATIONS),
            row.get(ATTEMPT_WORKER.DEVICE_PLACES)),
        row.get(ATTEMPT_WORKER.CPU_MILLIS),
        row.get(ATTEMPT_WORKER.MEMORY_BYTES));
  }

  static WorkerPlace held(TenantId tenant, Record row) {
    return new WorkerPlace(
        SharedNames.node(tenant, row.get(HOLD_WORKER.NODE)),
        slices(
            row.get(HOLD_WORKER.DEVICES),
            row.get(HOLD_WORKER.DEVICE_UUIDS),
            row.get(HOLD_WORKER.DEVICE_UNITS),
            row.get(HOLD_WORKER.DEVICE_MEMORY_BYTES),
            row.get(HOLD_WORKER.DEVICE_ISOLATIONS),
            row.get(HOLD_WORKER.DEVICE_PLACES)),
        row.get(HOLD_WORKER.CPU_MILLIS),
        row.get(HOLD_WORKER.MEMORY_BYTES));
  }

  private static List<Slice> slices(
      Integer[] devices,
      String[] uuids,
      Long[] units,
      Long[] memoryBytes,
      String[] isolations,
      String[] places) {
    List<Slice> slices = new ArrayList<>();
    for (int i = 0; i < devices.length; i++) {
      slices.add(
          new Slice(
              devices[i],
              uuids[i],
              new GpuQuantity(units[i]),
              memoryBytes[i],
              i < isolations.length ? Isolation.valueOf(isolations[i]) : Isolation.NONE,
              i < places.length ? PlaceText.parse(places[i]) : Optional.empty()));
    }
    return slices;
  }

  private static WorkerFacts facts(Record row) {
    return new WorkerFacts(
        Optional.ofNullable(row.get(ATTEMPT_WORKER.STARTED_AT)),
        Optional.ofNullable(row.get(ATTEMPT_WORKER.ENDED_AT)),
        Optional.ofNullable(row.get(ATTEMPT_WORKER.END_REASON)).map(EndReason::valueOf),
        Optional.ofNullable(row.get(ATTEMPT_WORKER.EXIT_CODE)),
        Objects.requireNonNullElse(row.get(ATTEMPT_WORKER.ERROR), ""),
        List.of(row.get(ATTEMPT_WORKER.STOP_PHASES)),
        use(row.get(ATTEMPT_WORKER.BUSY_MS), row.get(ATTEMPT_WORKER.MEASURED_MS)));
  }

  /// Both are there, or none is.
  static SliceUse use(@Nullable Long busyMillis, @Nullable Long measuredMillis) {
    return busyMillis == null || measuredMillis == null
        ? SliceUse.NONE
        : new SliceUse(busyMillis, measuredMillis, SliceUse.Present.UNKNOWN);
  }

  /// Without its phases, which only traces show.
  static EventRecord event(Record row, List<WorkerPlace> places) {
    List<String> flat = Arrays.asList(row.get(EVENT.DETAIL));
    Map<String, String> detail = new LinkedHashMap<>();
    for (int i = 0; i + 1 < flat.size(); i += 2) {
      detail.put(flat.get(i), flat.get(i + 1));
    }
    return new EventRecord(
        row.get(EVENT.VERSION),
        new TenantId(row.get(EVENT.TENANT)),
        row.get(EVENT.TIME),
        EventType.valueOf(row.get(EVENT.TYPE)),
        Optional.ofNullable(row.get(EVENT.JOB_ID)).map(JobId::new),
        row.get(EVENT.JOB),
        row.get(EVENT.ATTEMPT),
        row.get(EVENT.QUEUE),
        row.get(EVENT.POLICY),
        row.get(EVENT.POOL),
        row.get(EVENT.NODE),
        row.get(EVENT.BY_JOB),
        row.get(EVENT.RULE),
        places,
        row.get(EVENT.MESSAGE),
        detail,
        List.of());
  }

  private static Optional<Duration> duration(@Nullable Long ms) {
    return Optional.ofNullable(ms).map(Duration::ofMillis);
  }
}
