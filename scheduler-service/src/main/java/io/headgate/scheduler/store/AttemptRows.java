package io.headgate.scheduler.store;

import io.headgate.scheduler.core.catalog.Isolation;
import io.headgate.scheduler.core.catalog.PolicyId;
import io.headgate.scheduler.core.catalog.PoolId;
import io.headgate.scheduler.core.catalog.ProfileId;
import io.headgate.scheduler.core.catalog.TenantId;
import io.headgate.scheduler.core.job.Assignment;
import io.headgate.scheduler.core.job.Attempt;
import io.headgate.scheduler.core.job.AttemptId;
import io.headgate.scheduler.core.job.JobId;
import io.headgate.scheduler.core.job.Slice;
import io.headgate.scheduler.core.job.StopOrder;
import io.headgate.scheduler.core.job.StopOutcome;
import io.headgate.scheduler.core.job.WorkerPlace;
import io.headgate.scheduler.core.job.WorkerStatus;
import io.headgate.scheduler.core.node.NodeId;
import io.headgate.scheduler.runtime.record.AttemptRecord;
import io.headgate.scheduler.runtime.record.Progress;
import io.headgate.scheduler.runtime.record.WorkerFacts;
import io.headgate.type.GpuQuantity;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/// Reads all live attempts of a leader, of which a large cluster has as many as devices. They say
/// the same as those of [RowMapper].
final class AttemptRows {
  /// One row for each worker; the attempt's part is read with the first.
  private static final String QUERY =
      """
      select a.job_id, a.number, a.tenant, w.node, w.devices, w.device_uuids, w.device_units,
        w.device_memory_bytes, w.device_isolations, w.device_places, w.cpu_millis,
        w.memory_bytes, w.status, w.started_at, w.ended_at, w.end_reason, w.exit_code, w.error,
        w.stop_phases, w.busy_ms, w.measured_ms,
        a.policy, a.profile, a.pool, a.preemptible, a.sequence, a.assigned_at, a.started_at,
        a.checkpoint_at, a.metered_since, a.metered_busy_ms, a.metered_measured_ms, a.checkpoint_mark, a.done_permyriad, a.progress_message, a.progress_at,
        a.stop_cause, a.stop_by, a.stop_rule, a.stop_grounds, a.stop_worker,
        a.stop_ending, a.stop_outcome, a.stop_at, a.epoch, a.stop_after_ms, a.skip_callback,
        a.stop_message, a.stop_by_name
      from attempt a join attempt_worker w on w.job_id = a.job_id and w.attempt = a.number
      where a.ended_at is null
      """;

  private static final int FIELDS_OF_ATTEMPT = 28;

  private final BinaryRows rows;
  private final List<AttemptRecord> all = new ArrayList<>();
  private List<WorkerPlace> places = new ArrayList<>();
  private List<WorkerStatus> statuses = new ArrayList<>();
  private List<WorkerFacts> facts = new ArrayList<>();

  private AttemptRows(BinaryRows rows) {
    this.rows = rows;
  }

  /// By job; a job has one live attempt at most.
  ///
  /// @param lastJob highest id of the jobs that are read; empty: all are
  static List<AttemptRecord> read(Connection connection, OptionalLong lastJob) throws SQLException {
    String query = QUERY + upTo(lastJob) + " order by a.job_id, a.number, w.worker";
    try (BinaryRows rows = BinaryRows.of(connection, query)) {
      AttemptRows attempts = new AttemptRows(rows);
      attempts.readAll();
      return attempts.all;
    }
  }

  private static String upTo(OptionalLong lastJob) {
    return lastJob.isPresent() ? "and a.job_id <= " + lastJob.getAsLong() : "";
  }

  private void readAll() throws SQLException {
    Optional<Head> head = Optional.empty();
    while (rows.next()) {
      long job = rows.bigint();
      int number = rows.integer();
      TenantId tenant = rows.shared(new TenantId(rows.text()));
      AttemptId id = new AttemptId(new JobId(job), number);
      boolean isNext = head.isEmpty() || !head.get().id().equals(id);
      if (isNext) {
        head.ifPresent(this::add);
      }
      worker(tenant);
      if (isNext) {
        head = Optional.of(head(id, tenant));
      } else {
        rows.skip(FIELDS_OF_ATTEMPT);
      }
    }
    head.ifPresent(this::add);
  }

  private void worker(TenantId tenant) {
    NodeId node = rows.shared(SharedNames.node(tenant, rows.text()));
    List<Slice> slices = slices();
    places.add(new WorkerPlace(node, slices, rows.bigint(), rows.bigint()));
    statuses.add(WorkerStatus.valueOf(rows.text()));
    facts.add(
        rows.shared(
            new WorkerFacts(
                rows.optionalTime(),
                rows.optionalTime(),
                rows.optionalText().map(WorkerFacts.EndReason::valueOf),
                rows.optionalInteger(),
                rows.optionalText().orElse(""),
                rows.texts(),
                RowMapper.use(rows.bigintOrNull(), rows.bigintOrNull()))));
  }

  private List<Slice> slices() {
    List<Integer> devices = rows.integers();
    List<String> uuids = rows.texts();
    List<Long> units = rows.bigints();
    List<Long> memoryBytes = rows.bigints();
    List<String> isolations = rows.texts();
    List<String> at = rows.texts();
    List<Slice> slices = new ArrayList<>(devices.size());
    for (int i = 0; i < devices.size(); i++) {
      slices.add(
          new Slice(
              devices.get(i),
              uuids.get(i),
              rows.shared(new GpuQuantity(units.get(i))),
              memoryBytes.get(i),
              i < isolations.size() ? Isolation.valueOf(isolations.get(i)) : Isolation.NONE,
              i < at.size() ? PlaceText.parse(at.get(i)) : Optional.empty()));
    }
    return slices;
  }

  /// An attempt without its workers.
  private record Head(
      AttemptId id,
      PolicyId policy,
      ProfileId profile,
      PoolId pool,
      boolean preemptible,
      long sequence,
      Instant assignedAt,
      Optional<Instant> startedAt,
      Optional<Instant> checkpointAt,
      Optional<AttemptRecord.Metered> metered,
      Progress progress,
      Optional<StopOrder> stop,
      long epoch,
      Optional<Duration> stopAfter,
      boolean skipCallback,
      Optional<AttemptRecord.StopNote> note) {}

  private Head head(AttemptId id, TenantId tenant) {
    return new Head(
        id,
        rows.shared(new PolicyId(tenant, rows.text())),
        rows.shared(new ProfileId(tenant, rows.text())),
        rows.shared(SharedNames.pool(tenant, rows.text())),
        rows.bool(),
        rows.bigint(),
        rows.time(),
        rows.optionalTime(),
        rows.optionalTime(),
        metered(),
        progress(),
        stop(),
        rows.bigint(),
        rows.optionalMillis(),
        rows.bool(),
        note());
  }

  private Optional<AttemptRecord.Metered> metered() {
    Optional<Instant> since = rows.optionalTime();
    Optional<Long> busy = Optional.ofNullable(rows.bigintOrNull());
    Optional<Long> measured = Optional.ofNullable(rows.bigintOrNull());
    return since.map(
        begin -> new AttemptRecord.Metered(begin, busy.orElse(0L), measured.orElse(0L)));
  }

  private Progress progress() {
    long mark = rows.bigint();
    Optional<Integer> permyriad = rows.optionalInteger();
    Optional<String> message = rows.optionalText();
    Optional<Instant> at = rows.optionalTime();
    return new Progress(
        permyriad.map(done -> new Progress.Advance(done, message.orElse(""), at.orElseThrow())),
        mark);
  }

  private Optional<StopOrder> stop() {
    Optional<String> cause = rows.optionalText();
    Optional<Long> by = Optional.ofNullable(rows.bigintOrNull());
    Optional<String> rule = rows.optionalText();
    Optional<String> grounds = rows.optionalText();
    Optional<Integer> worker = rows.optionalInteger();
    Optional<String> ending = rows.optionalText();
    Optional<String> outcome = rows.optionalText();
    Optional<Instant> at = rows.optionalTime();
    return cause.map(each ->
        new StopOrder(
            new StopRow(each, by, rule, grounds, worker, ending).toCause(),
            StopOutcome.valueOf(outcome.orElseThrow()),
            at.orElseThrow()));
  }

  private Optional<AttemptRecord.StopNote> note() {
    Optional<String> message = rows.optionalText();
    Optional<String> byName = rows.optionalText();
    return message.map(each -> new AttemptRecord.StopNote(byName.orElse(""), each));
  }

  private void add(Head head) {
    Attempt attempt =
        new Attempt(
            head.id(),
            head.policy(),
            head.profile(),
            new Assignment(head.pool(), places),
            head.preemptible(),
            head.sequence(),
            head.assignedAt(),
            head.startedAt(),
            head.checkpointAt(),
            statuses,
            head.stop());
    all.add(
        new AttemptRecord(
            attempt,
            head.epoch(),
            head.stopAfter(),
            head.skipCallback(),
            head.note(),
            facts,
            head.progress(),
            head.metered(),
            Optional.empty()));
    places = new ArrayList<>();
    statuses = new ArrayList<>();
    facts = new ArrayList<>();
  }
}
