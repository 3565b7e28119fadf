package io.headgate.scheduler.store;

import static io.headgate.scheduler.store.Columns.orNull;

import io.headgate.kit.seal.Seal;
import io.headgate.scheduler.core.job.Attempt;
import io.headgate.scheduler.core.job.AttemptId;
import io.headgate.scheduler.core.job.HeadroomHold;
import io.headgate.scheduler.core.job.Hold;
import io.headgate.scheduler.core.job.HoldPause;
import io.headgate.scheduler.core.job.JobId;
import io.headgate.scheduler.core.job.Slice;
import io.headgate.scheduler.core.job.StopOrder;
import io.headgate.scheduler.core.job.WorkerPlace;
import io.headgate.scheduler.runtime.record.AttemptRecord;
import io.headgate.scheduler.runtime.record.AttemptRecord.Ending;
import io.headgate.scheduler.runtime.record.Batch;
import io.headgate.scheduler.runtime.record.Batch.CatalogChange;
import io.headgate.scheduler.runtime.record.Cancellation;
import io.headgate.scheduler.runtime.record.CatalogEntry;
import io.headgate.scheduler.runtime.record.EventRecord;
import io.headgate.scheduler.runtime.record.JobRecord;
import io.headgate.scheduler.runtime.record.Phase;
import io.headgate.scheduler.runtime.record.Progress.Advance;
import io.headgate.scheduler.runtime.record.WorkerFacts;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/// The statements of a batch. References decide their order: a job before its attempt, an attempt
/// before its workers.
final class BatchScript {
  private BatchScript() {}

  static void add(Script script, Batch batch, Seal seal) {
    newJobs(script, batch.newJobs(), seal);
    if (!batch.jobs().isEmpty()) {
      script.add(
          BatchSql.UPDATE_JOBS, standing(new Columns<>(batch.jobs()).bigint(BatchScript::id)));
    }
    specs(script, batch.documents(), seal);
    attempts(script, batch.attempts());
    holds(script, batch.holds(), batch.releasedHolds());
    events(script, batch.events());
    PastUseRows.add(script, batch.pastUse());
    UsageRows.add(script, batch.usage());
    BudgetRows.add(script, batch.budgets());
    WaitRows.add(script, batch.waits());
    others(script, batch);
    batch.catalogs().forEach((source, change) -> catalog(script, source, change, seal));
  }

  private static Long id(JobRecord job) {
    return job.id().value();
  }

  private static void newJobs(Script script, List<Batch.NewJob> jobs, Seal seal) {
    if (jobs.isEmpty()) {
      return;
    }
    Columns<JobRecord> rows =
        new Columns<>(jobs.stream().map(Batch.NewJob::job).toList())
            .bigint(BatchScript::id)
            .text(job -> job.tenant().name())
            .text(job -> job.name().id())
            .text(job -> job.job().spec().user().name())
            .text(job -> job.metadata().submitter())
            .bool(job -> job.metadata().byRole())
            .bool(job -> orNull(job.job().spec().preemptible()))
            .bigint(job -> job.job().spec().stopTime().toMillis())
            .bigint(job -> orNull(job.job().spec().suspend().map(each -> each.toMillis())))
            .bool(job -> job.job().spec().movable())
            .list(job -> job.metadata().labels())
            .text(job -> job.metadata().traceparent())
            .time(job -> job.metadata().createdAt());
    script.add(BatchSql.INSERT_JOBS, standing(rows));
    specs(script, jobs, seal);
  }

  private static void specs(Script script, List<Batch.NewJob> jobs, Seal seal) {
    if (jobs.isEmpty()) {
      return;
    }
    script.add(
        BatchSql.UPSERT_SPECS,
        new Columns<>(jobs)
            .bigint(each -> each.job().id().value())
            .bytes(each -> sealed(seal, each)));
  }

  private static byte[] sealed(Seal seal, Batch.NewJob job) {
    JobRecord record = job.job();
    return seal.seal(
        job.document().bytes(),
        SealedColumns.ofJob(
            record.id().value(), record.tenant().name(), record.metadata().submitter()));
  }

  /// The columns that change in a job's life, in the order of both statements.
  private static Columns<JobRecord> standing(Columns<JobRecord> rows) {
    return rows.text(job -> job.metadata().policy())
        .text(job -> job.metadata().profile())
        .bigint(job -> job.metadata().gpus().units())
        .integer(job -> job.metadata().workers())
        .time(job -> job.job().submittedAt())
        .time(job -> job.job().waitingSince())
        .text(job -> job.state().name())
        .bigint(job -> job.job().sequence())
        .integer(job -> job.job().attempts())
        .bigint(job -> orNull(job.job().lastPreemption().map(each -> each.by().value())))
        .text(job -> orNull(job.job().lastPreemption().map(each -> each.rule().name())))
        .text(
            job -> orNull(job.job().lastPreemption().map(each -> GroundsRow.text(each.grounds()))))
        .time(job -> orNull(job.job().lastPreemption().map(each -> each.at())))
        .time(job -> orNull(job.course().startedAt()))
        .time(job -> orNull(job.course().finishedAt()))
        .integer(job -> orNull(job.course().exitCode()))
        .text(job -> orNull(job.draft().map(JobRecord.DraftCause::code)))
        .text(job -> orNull(job.draft().map(JobRecord.DraftCause::message)))
        .text(job -> orNull(job.cancellation().map(Cancellation::by)))
        .text(job -> orNull(job.cancellation().map(Cancellation::reason)))
        .bool(JobRecord::simulated)
        .bigint(JobRecord::version)
        .integer(job -> job.job().holdPause().map(HoldPause::holds).orElse(0))
        .time(job -> orNull(job.job().holdPause().map(HoldPause::until)))
        .text(job -> orNull(job.job().headroom().map(HeadroomRow::text)))
        .time(job -> orNull(job.job().headroom().flatMap(HeadroomHold::expectedStart)))
        .time(job -> orNull(job.job().headroom().flatMap(HeadroomHold::until)))
        .text(job -> job.job().spec().queue().name())
        .integer(job -> job.job().spec().priority())
        .bigint(job -> orNull(job.job().spec().maxRuntime().map(each -> each.toMillis())))
        .time(job -> orNull(job.job().gate().notBefore()))
        .text(job -> orNull(GateRow.text(job.job().gate())));
  }

  private static void attempts(Script script, List<AttemptRecord> attempts) {
    if (attempts.isEmpty()) {
      return;
    }
    script.add(
        BatchSql.UPSERT_ATTEMPTS,
        new Columns<>(attempts)
            .bigint(attempt -> attempt.id().job().value())
            .integer(attempt -> attempt.id().number())
            .text(attempt -> attempt.attempt().policy().tenant().name())
            .text(attempt -> attempt.attempt().policy().name())
            .text(attempt -> attempt.attempt().profile().name())
            .text(attempt -> SharedNames.text(attempt.attempt().assignment().pool()))
            .bool(attempt -> attempt.attempt().preemptible())
            .bigint(attempt -> attempt.attempt().sequence())
            .bigint(AttemptRecord::epoch)
            .time(attempt -> attempt.attempt().assignedAt())
            .time(attempt -> orNull(attempt.attempt().startedAt()))
            .time(attempt -> orNull(attempt.attempt().checkpointAt()))
            .time(attempt -> orNull(attempt.metered().map(AttemptRecord.Metered::since)))
            .bigint(attempt -> orNull(attempt.metered().map(AttemptRecord.Metered::busyMillis)))
            .bigint(attempt -> orNull(attempt.metered().map(AttemptRecord.Metered::measuredMillis)))
            .bigint(attempt -> attempt.progress().checkpointMark())
            .integer(attempt -> orNull(attempt.progress().advance().map(Advance::permyriad)))
            .text(attempt -> orNull(attempt.progress().advance().map(Advance::message)))
            .time(attempt -> orNull(attempt.progress().advance().map(Advance::heardAt)))
            .bigint(attempt -> orNull(attempt.stopAfter().map(each -> each.toMillis())))
            .text(attempt -> orNull(stop(attempt).map(StopRow::cause)))
            .bigint(attempt -> orNull(stop(attempt).flatMap(StopRow::by)))
            .text(attempt -> orNull(attempt.stop().map(AttemptRecord.StopNote::byJob)))
            .text(attempt -> orNull(stop(attempt).flatMap(StopRow::rule)))
            .text(attempt -> orNull(stop(attempt).flatMap(StopRow::grounds)))
            .integer(attempt -> orNull(stop(attempt).flatMap(StopRow::worker)))
            .text(attempt -> orNull(stop(attempt).flatMap(StopRow::ending)))
            .text(attempt -> orNull(attempt.attempt().stop().map(o -> o.outcome().name())))
            .text(attempt -> orNull(attempt.stop().map(AttemptRecord.StopNote::message)))
            .time(attempt -> orNull(attempt.attempt().stop().map(StopOrder::at)))
            .bool(AttemptRecord::skipCallback)
            .time(attempt -> orNull(attempt.ending().map(Ending::at)))
            .text(attempt -> orNull(attempt.ending().map(ending -> ending.outcome().name())))
            .integer(attempt -> orNull(attempt.ending().flatMap(Ending::exitCode)))
            .text(attempt -> orNull(attempt.ending().map(Ending::error))));
    workers(script, attempts);
  }

  private static Optional<StopRow> stop(AttemptRecord attempt) {
    return attempt.attempt().stop().map(StopRow::of);
  }

  private record WorkerRow(Attempt attempt, int worker, WorkerFacts facts) {
    WorkerPlace place() {
      return attempt.assignment().workers().get(worker);
    }

    AttemptId id() {
      return attempt.id();
    }
  }

  private static void workers(Script script, List<AttemptRecord> attempts) {
    List<WorkerRow> rows = new ArrayList<>();
    for (AttemptRecord attempt : attempts) {
      for (int worker = 0; worker < attempt.workers().size(); worker++) {
        rows.add(new WorkerRow(attempt.attempt(), worker, attempt.workers().get(worker)));
      }
    }
    Columns<WorkerRow> columns =
        new Columns<>(rows)
            .bigint(row -> row.id().job().value())
            .integer(row -> row.id().number())
            .integer(WorkerRow::worker);
    script.add(
        BatchSql.UPSERT_WORKERS,
        place(columns, WorkerRow::place)
            .text(row -> row.attempt().workers().get(row.worker()).name())
            .time(row -> orNull(row.facts().startedAt()))
            .time(row -> orNull(row.facts().endedAt()))
            .text(row -> orNull(row.facts().endReason().map(Enum::name)))
            .integer(row -> orNull(row.facts().exitCode()))
            .text(row -> row.facts().error())
            .list(row -> row.facts().stopPhases())
            .bigint(row -> isMeasured(row) ? row.facts().use().busyMillis() : null)
            .bigint(row -> isMeasured(row) ? row.facts().use().measuredMillis() : null));
  }

  private static boolean isMeasured(WorkerRow row) {
    return row.facts().use().measuredMillis() > 0;
  }

  private static <T> Columns<T> place(Columns<T> columns, Function<T, WorkerPlace> place) {
    return columns
        .text(row -> SharedNames.text(place.apply(row).node()))
        .bigint(row -> place.apply(row).cpuMillis())
        .bigint(row -> place.apply(row).memoryBytes())
        .list(row -> place.apply(row).slices().stream().map(Slice::device).toList())
        .list(row -> place.apply(row).slices().stream().map(Slice::uuid).toList())
        .list(row -> place.apply(row).slices().stream().map(s -> s.quantity().units()).toList())
        .list(row -> place.apply(row).slices().stream().map(Slice::memoryBytes).toList())
        .list(row -> place.apply(row).slices().stream().map(s -> s.isolation().name()).toList())
        .list(row -> PlaceText.of(place.apply(row).slices()));
  }

  private record HeldPlace(JobId job, int worker, WorkerPlace place) {}

  private static void holds(Script script, List<Hold> placed, List<JobId> released) {
    if (placed.isEmpty() && released.isEmpty()) {
      return;
    }
    // A hold that moved is written anew.
    List<JobId> gone = new ArrayList<>(released);
    placed.forEach(hold -> gone.add(hold.job()));
    script.add(BatchSql.DELETE_HOLDS, new Columns<>(gone).bigint(JobId::value));
    if (placed.isEmpty()) {
      return;
    }
    script.add(
        BatchSql.INSERT_HOLDS,
        new Columns<>(placed)
            .bigint(hold -> hold.job().value())
            .text(hold -> hold.place().pool().tenant().name())
            .text(hold -> hold.place().pool().name())
            .text(hold -> orNull(hold.rule().map(Enum::name)))
            .time(Hold::since)
            .time(hold -> orNull(hold.expectedStart()))
            .time(hold -> orNull(hold.until()))
            .list(hold -> hold.waitsFor().stream().map(victim -> victim.job().value()).toList())
            .list(hold -> hold.waitsFor().stream().map(AttemptId::number).toList()));
    List<HeldPlace> rows = new ArrayList<>();
    for (Hold hold : placed) {
      for (int worker = 0; worker < hold.place().workers().size(); worker++) {
        rows.add(new HeldPlace(hold.job(), worker, hold.place().workers().get(worker)));
      }
    }
    script.add(
        BatchSql.INSERT_HOLD_WORKERS,
        place(
            new Columns<>(rows).bigint(row -> row.job().value()).integer(HeldPlace::worker),
            HeldPlace::place));
  }

  private static void events(Script script, List<EventRecord> events) {
    if (events.isEmpty()) {
      return;
    }
    script.add(
        BatchSql.INSERT_EVENTS,
        new Columns<>(events)
            .bigint(EventRecord::version)
            .text(event -> event.tenant().name())
            .time(EventRecord::time)
            .text(event -> event.type().name())
            .bigint(event -> orNull(event.jobId().map(JobId::value)))
            .text(EventRecord::job)
            .integer(EventRecord::attempt)
            .text(EventRecord::queue)
            .text(EventRecord::policy)
            .text(EventRecord::pool)
            .text(EventRecord::node)
            .text(EventRecord::byJob)
            .text(EventRecord::rule)
            .text(EventRecord::message)
            .list(BatchScript::detail)
            .list(event -> event.phases().stream().map(Phase::text).toList()));
  }

  private static List<String> detail(EventRecord event) {
    List<String> flat = new ArrayList<>();
    for (Map.Entry<String, String> entry : event.detail().entrySet()) {
      flat.add(entry.getKey());
      flat.add(entry.getValue());
    }
    return flat;
  }

  private static void others(Script script, Batch batch) {
    if (!batch.requests().isEmpty()) {
      script.add(
          BatchSql.INSERT_REQUESTS,
          new Columns<>(batch.requests())
              .text(Batch.RequestRecord::subject)
              .text(Batch.RequestRecord::requestId)
              .text(Batch.RequestRecord::fingerprint)
              .list(request -> request.jobs().stream().map(JobId::value).toList()));
      script.add(BatchSql.FORGET_REQUESTS);
    }
    if (!batch.names().isEmpty()) {
      script.add(
          BatchSql.UPSERT_NAMES,
          new Columns<>(batch.names())
              .text(name -> name.tenant().name())
              .text(name -> name.prefix())
              .bigint(name -> name.last()));
    }
    if (!batch.contacts().isEmpty()) {
      script.add(
          BatchSql.UPSERT_CONTACTS,
          new Columns<>(batch.contacts())
              .text(contact -> contact.node().tenant().name())
              .text(contact -> contact.node().name())
              .text(contact -> contact.bootId())
              .text(contact -> contact.sessionId())
              .text(contact -> contact.agentVersion())
              .bool(contact -> contact.simulated())
              .time(contact -> contact.connectedAt()));
    }
  }

  private static void catalog(Script script, String source, CatalogChange change, Seal seal) {
    script.add(
        BatchSql.UPSERT_CATALOG_SOURCE,
        source,
        change.position().incarnation(),
        change.position().version());
    if (change.snapshot()) {
      script.add(BatchSql.DELETE_CATALOG, source);
    } else if (!change.removedKeys().isEmpty()) {
      script.add(
          BatchSql.DELETE_CATALOG_ENTRIES,
          new Columns<>(change.removedKeys()).text(_ -> source).text(key -> key));
    }
    if (!change.entries().isEmpty()) {
      script.add(
          BatchSql.UPSERT_CATALOG_ENTRIES,
          new Columns<>(change.entries())
              .text(_ -> source)
              .text(CatalogEntry::key)
              .bytes(entry ->
                  seal.seal(
                      entry.document().bytes(), SealedColumns.ofCatalog(source, entry.key()))));
    }
  }
}
