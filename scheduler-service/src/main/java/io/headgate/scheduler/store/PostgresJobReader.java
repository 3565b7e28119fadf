package io.headgate.scheduler.store;

import static io.headgate.scheduler.store.jooq.Tables.ATTEMPT;
import static io.headgate.scheduler.store.jooq.Tables.CATALOG_ENTRY;
import static io.headgate.scheduler.store.jooq.Tables.EVENT;
import static io.headgate.scheduler.store.jooq.Tables.JOB;
import static io.headgate.scheduler.store.jooq.Tables.JOB_SPEC;
import static io.headgate.scheduler.store.jooq.Tables.LEADERSHIP;
import static io.headgate.scheduler.store.jooq.Tables.NAME_COUNTER;
import static io.headgate.scheduler.store.jooq.Tables.SUBMISSION_REQUEST;
import static io.headgate.scheduler.store.jooq.Tables.VISIBLE_JOB;
import static org.jooq.impl.DSL.max;
import static org.jooq.impl.DSL.row;
import static org.jooq.impl.DSL.select;

import io.headgate.kit.auth.Principals;
import io.headgate.kit.db.Database;
import io.headgate.kit.db.Reach;
import io.headgate.kit.failure.GrpcFailures;
import io.headgate.kit.seal.Seal;
import io.headgate.scheduler.core.catalog.TenantId;
import io.headgate.scheduler.core.job.AttemptId;
import io.headgate.scheduler.core.job.JobId;
import io.headgate.scheduler.core.job.JobState;
import io.headgate.scheduler.core.job.WorkerPlace;
import io.headgate.scheduler.runtime.record.AttemptRecord;
import io.headgate.scheduler.runtime.record.Batch.RequestRecord;
import io.headgate.scheduler.runtime.record.Document;
import io.headgate.scheduler.runtime.record.EventRecord;
import io.headgate.scheduler.runtime.record.EventType;
import io.headgate.scheduler.runtime.record.JobName;
import io.headgate.scheduler.runtime.record.JobReader;
import io.headgate.scheduler.runtime.record.JobRecord;
import io.headgate.scheduler.runtime.record.StoredKeys;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Function;
import org.jooq.Condition;
import org.jooq.DSLContext;
import org.jooq.QuantifiedSelect;
import org.jooq.Record;
import org.jooq.Record1;
import org.jooq.Result;
import org.jooq.impl.DSL;

/// Reads for callers from PostgreSQL. Never from a copy of it that may lag: versions would be seen
/// out of order.
public final class PostgresJobReader implements JobReader {
  private static final String TAKEN =
      """
      select tenant, name from job
      where (tenant, name) in (select * from unnest(?::text[], ?::text[]))\
      """;

  private static final String REQUESTS =
      """
      select subject, request_id, fingerprint, jobs from submission_request
      where (subject, request_id) in (select * from unnest(?::text[], ?::text[]))\
      """;

  private final Database database;
  private final DSLContext across;
  private final Seal seal;
  private final SharedLookup<JobName, JobName> taken = new SharedLookup<>(this::taken);
  private final SharedLookup<RequestId, RequestRecord> requests =
      new SharedLookup<>(this::requests);

  private record RequestId(String subject, String id) {}

  /// @param across reaches every tenant's rows, for the service's own work
  public PostgresJobReader(Database database, DSLContext across, Seal seal) {
    this.database = database;
    this.across = across;
    this.seal = seal;
  }

  /// Ids come from rows that were read for a tenant, or from the scheduler's own threads. A call
  /// reaches no more than its caller may.
  private <T> T byId(Function<DSLContext, T> read) {
    return Principals.find().isPresent()
        ? database.transaction(Principals.reach(), read)
        : read.apply(across);
  }

  private <T> T of(TenantId tenant, Function<DSLContext, T> read) {
    return database.transaction(reach(tenant), read);
  }

  /// A call reaches no more than its caller may, whatever tenant it asks for.
  private static Reach reach(TenantId tenant) {
    return Principals.find().isPresent() ? Principals.reach() : Reach.of(tenant.name());
  }

  @Override
  public boolean isTaken(JobName name) {
    return taken.find(name).isPresent();
  }

  /// Asked before every submission, so it avoids the cost of parsing SQL text each time.
  private Map<JobName, JobName> taken(Set<JobName> names) {
    return across.connectionResult(connection -> {
      Map<JobName, JobName> found = new HashMap<>();
      try (PreparedStatement statement = connection.prepareStatement(TAKEN)) {
        statement.setObject(
            1, names.stream().map(name -> name.tenant().name()).toArray(String[]::new));
        statement.setObject(2, names.stream().map(JobName::id).toArray(String[]::new));
        try (ResultSet rows = statement.executeQuery()) {
          while (rows.next()) {
            JobName name = new JobName(new TenantId(rows.getString(1)), rows.getString(2));
            found.put(name, name);
          }
        }
      }
      return found;
    });
  }

  @Override
  public StoredKeys names() {
    return new KeyRows(
        across, "select tenant, name from job", "select coalesce(max(id), 0) from job");
  }

  @Override
  public StoredKeys requests() {
    return new KeyRows(
        across,
        "select subject, request_id from submission_request",
        "select reltuples::bigint from pg_class where oid = 'submission_request'::regclass");
  }

  @Override
  public Optional<JobRecord> job(JobName name) {
    return of(
        name.tenant(),
        sql ->
            sql.selectFrom(JOB)
                .where(JOB.TENANT.eq(name.tenant().name()), JOB.NAME.eq(name.id()))
                .fetchOptional(RowMapper::job));
  }

  @Override
  public List<JobRecord> jobs(Collection<JobId> ids) {
    return ids.isEmpty()
        ? List.of()
        : byId(sql -> sql.selectFrom(JOB).where(JOB.ID.eq(any(ids))).fetch(RowMapper::job));
  }

  private static QuantifiedSelect<Record1<Long>> any(Collection<JobId> ids) {
    return DSL.any(ids.stream().map(JobId::value).toArray(Long[]::new));
  }

  @Override
  public List<AttemptRecord> attempts(JobId job, int limit) {
    var newest =
        select(ATTEMPT.NUMBER)
            .from(ATTEMPT)
            .where(ATTEMPT.JOB_ID.eq(job.value()))
            .orderBy(ATTEMPT.NUMBER.desc())
            .limit(limit);
    Condition these = ATTEMPT.JOB_ID.eq(job.value()).and(ATTEMPT.NUMBER.in(newest));
    return byId(sql -> AttemptQuery.fetch(sql, these));
  }

  @Override
  public Map<JobId, AttemptRecord> lastAttempts(Collection<JobId> jobs) {
    if (jobs.isEmpty()) {
      return Map.of();
    }
    var last =
        select(ATTEMPT.JOB_ID, max(ATTEMPT.NUMBER))
            .from(ATTEMPT)
            .where(ATTEMPT.JOB_ID.eq(any(jobs)))
            .groupBy(ATTEMPT.JOB_ID);
    Map<JobId, AttemptRecord> found = new HashMap<>();
    for (AttemptRecord attempt :
        byId(sql -> AttemptQuery.fetch(sql, row(ATTEMPT.JOB_ID, ATTEMPT.NUMBER).in(last)))) {
      found.put(attempt.id().job(), attempt);
    }
    return found;
  }

  @Override
  public Map<JobId, Document> documents(Collection<JobId> jobs) {
    Map<JobId, Document> found = new HashMap<>();
    for (var row :
        byId(sql ->
            sql.select(JOB_SPEC.JOB_ID, JOB_SPEC.DOCUMENT, JOB.TENANT, JOB.SUBMITTER)
                .from(JOB_SPEC)
                .join(JOB)
                .on(JOB.ID.eq(JOB_SPEC.JOB_ID))
                .where(JOB_SPEC.JOB_ID.eq(any(jobs)))
                .fetch())) {
      long id = row.value1();
      seal.tryOpen(row.value2(), SealedColumns.ofJob(id, row.value3(), row.value4()))
          .ifPresent(document -> found.put(new JobId(id), Document.of(document)));
    }
    return found;
  }

  @Override
  public List<JobRecord> page(TenantId tenant, Filter filter, OptionalLong before, int limit) {
    return of(tenant, sql -> JobLists.page(indexed(sql, filter), tenant, filter, before, limit));
  }

  @Override
  public List<JobRecord> oldest(TenantId tenant, Filter filter, long after, int limit) {
    return of(tenant, sql -> JobLists.oldest(indexed(sql, filter), tenant, filter, after, limit));
  }

  @Override
  public Map<JobState, Long> counts(TenantId tenant, Filter filter) {
    return of(tenant, sql -> JobLists.counts(indexed(sql, filter), tenant, filter));
  }

  /// PostgreSQL uses the index over labels in queries of the view only; see the view's comment.
  private static DSLContext indexed(DSLContext sql, Filter filter) {
    return filter.labels().isEmpty() ? sql : Database.instead(sql, JOB, VISIBLE_JOB);
  }

  @Override
  public Changes changes(TenantId tenant, long since, long after, int limit) {
    return database.snapshot(
        reach(tenant),
        read ->
            new Changes(
                version(read),
                read.selectFrom(JOB)
                    .where(JOB.TENANT.eq(tenant.name()), JOB.VERSION.gt(since), JOB.ID.gt(after))
                    .orderBy(JOB.ID)
                    .limit(limit)
                    .fetch(RowMapper::job)));
  }

  @Override
  public EventPage events(EventFilter filter, OptionalLong before, int limit) {
    return of(
        filter.tenant(),
        sql -> EventLists.page(sql, filter, before, limit, rows -> events(sql, rows)));
  }

  @Override
  public Events eventsAfter(EventFilter filter, long version, int limit) {
    return database.snapshot(
        reach(filter.tenant()),
        read ->
            EventLists.after(
                read, filter, version, limit, version(read), rows -> events(read, rows)));
  }

  /// Where an attempt goes never changes, so it need not be of the same snapshot.
  private static List<EventRecord> events(DSLContext sql, Result<? extends Record> rows) {
    List<AttemptId> assigned = new ArrayList<>();
    for (Record row : rows) {
      if (row.get(EVENT.TYPE).equals(EventType.ASSIGNED.name())) {
        assigned.add(attempt(row));
      }
    }
    Map<AttemptId, List<WorkerPlace>> places = new HashMap<>();
    if (!assigned.isEmpty()) {
      Condition these =
          row(ATTEMPT.JOB_ID, ATTEMPT.NUMBER)
              .in(assigned.stream().map(id -> row(id.job().value(), id.number())).toList());
      for (AttemptRecord attempt : AttemptQuery.fetch(sql, these)) {
        places.put(attempt.id(), attempt.attempt().assignment().workers());
      }
    }
    List<EventRecord> events = new ArrayList<>();
    for (Record row : rows) {
      boolean isAssigned = row.get(EVENT.TYPE).equals(EventType.ASSIGNED.name());
      events.add(
          RowMapper.event(
              row, isAssigned ? places.getOrDefault(attempt(row), List.of()) : List.of()));
    }
    return Collections.unmodifiableList(events);
  }

  private static AttemptId attempt(Record row) {
    return new AttemptId(new JobId(row.get(EVENT.JOB_ID)), row.get(EVENT.ATTEMPT));
  }

  @Override
  public long version() {
    return version(across);
  }

  private static long version(DSLContext read) {
    return read.select(LEADERSHIP.VERSION).from(LEADERSHIP).fetchSingle().value1();
  }

  @Override
  public Optional<Document> catalogEntry(String source, TenantId tenant) {
    return across
        .select(CATALOG_ENTRY.DOCUMENT)
        .from(CATALOG_ENTRY)
        .where(CATALOG_ENTRY.SOURCE.eq(source), CATALOG_ENTRY.KEY.eq("tenants/" + tenant.name()))
        .fetchOptional(CATALOG_ENTRY.DOCUMENT)
        .flatMap(document ->
            seal.tryOpen(document, SealedColumns.ofCatalog(source, "tenants/" + tenant.name())))
        .map(Document::of);
  }

  @Override
  public long lastNumber(TenantId tenant, String prefix) {
    return of(
        tenant,
        sql ->
            sql.select(NAME_COUNTER.LAST)
                .from(NAME_COUNTER)
                .where(NAME_COUNTER.TENANT.eq(tenant.name()), NAME_COUNTER.PREFIX.eq(prefix))
                .fetchOptional(NAME_COUNTER.LAST)
                .orElse(0L));
  }

  @Override
  public Optional<RequestRecord> request(String subject, String requestId) {
    return requests.find(new RequestId(subject, requestId));
  }

  private Map<RequestId, RequestRecord> requests(Set<RequestId> ids) {
    Map<RequestId, RequestRecord> found = new HashMap<>();
    for (Record row :
        across.fetch(
            REQUESTS,
            ids.stream().map(RequestId::subject).toArray(String[]::new),
            ids.stream().map(RequestId::id).toArray(String[]::new))) {
      RequestRecord request =
          new RequestRecord(
              row.get(SUBMISSION_REQUEST.SUBJECT),
              row.get(SUBMISSION_REQUEST.REQUEST_ID),
              row.get(SUBMISSION_REQUEST.FINGERPRINT),
              Arrays.stream(row.get(SUBMISSION_REQUEST.JOBS)).map(JobId::new).toList());
      found.put(new RequestId(request.subject(), request.requestId()), request);
    }
    return found;
  }

  @Override
  public boolean isUnreachable(Throwable failure) {
    return GrpcFailures.isDatabaseUnreachable(failure);
  }
}
