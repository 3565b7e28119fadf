package io.headgate.scheduler.store;

import static io.headgate.scheduler.store.jooq.Tables.CATALOG_ENTRY;
import static io.headgate.scheduler.store.jooq.Tables.CATALOG_SOURCE;
import static io.headgate.scheduler.store.jooq.Tables.HOLD;
import static io.headgate.scheduler.store.jooq.Tables.HOLD_WORKER;
import static io.headgate.scheduler.store.jooq.Tables.JOB;
import static io.headgate.scheduler.store.jooq.Tables.LEADERSHIP;
import static io.headgate.scheduler.store.jooq.Tables.NODE_CONTACT;
import static org.jooq.impl.DSL.noCondition;

import io.headgate.kit.db.Database;
import io.headgate.kit.db.Reach;
import io.headgate.kit.position.WatchPosition;
import io.headgate.kit.seal.Seal;
import io.headgate.scheduler.core.SchedulerState.Demanded;
import io.headgate.scheduler.core.catalog.PoolId;
import io.headgate.scheduler.core.catalog.ProfileId;
import io.headgate.scheduler.core.catalog.TenantId;
import io.headgate.scheduler.core.job.Assignment;
import io.headgate.scheduler.core.job.AttemptId;
import io.headgate.scheduler.core.job.Hold;
import io.headgate.scheduler.core.job.JobId;
import io.headgate.scheduler.core.job.JobState;
import io.headgate.scheduler.core.job.PreemptionRule;
import io.headgate.scheduler.core.job.WorkerPlace;
import io.headgate.scheduler.core.node.NodeId;
import io.headgate.scheduler.runtime.record.Batch;
import io.headgate.scheduler.runtime.record.CatalogEntry;
import io.headgate.scheduler.runtime.record.CommitResult;
import io.headgate.scheduler.runtime.record.Document;
import io.headgate.scheduler.runtime.record.Leadership;
import io.headgate.scheduler.runtime.record.LoadedState;
import io.headgate.scheduler.runtime.record.NodeContact;
import io.headgate.scheduler.runtime.record.SchedulerStore;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import javax.sql.DataSource;
import org.jooq.Condition;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jooq.Record;
import org.jooq.Record1;
import org.jooq.Result;
import org.jooq.impl.DSL;
import org.jooq.impl.SQLDataType;

/// The leader's store in PostgreSQL. One connection is enough for it: its transactions come one
/// after the other.
public final class PostgresSchedulerStore implements SchedulerStore {
  /// For the connections of the leader's transactions: their statements find rows by key, however
  /// many, and are planned once. A plan that was good while a table was empty would read all of it
  /// when it has a million rows.
  public static final Map<String, String> SETTINGS =
      Map.of(
          "headgate.tenant", Reach.EVERY_TENANT.setting(),
          "plan_cache_mode", "force_generic_plan",
          "enable_seqscan", "off",
          "enable_hashjoin", "off",
          "enable_mergejoin", "off");

  private static final String DOMAIN = "default";
  private static final List<String> ALIVE =
      Arrays.stream(JobState.values())
          .filter(state -> state == JobState.WAITING || state.hasAttempt())
          .map(Enum::name)
          .toList();

  private static final String TAKE_OVER =
      """
      update leadership
      set epoch = epoch + 1, leader = ?, address = ?, since = clock_timestamp(),
          renewed_at = clock_timestamp(),
          lease_until = clock_timestamp() + ? * interval '1 millisecond'
      where domain = 'default' and (leader is null or lease_until <= clock_timestamp()
        or (? and renewed_at + ? * interval '1 millisecond' <= clock_timestamp()))\
      """;

  private static final String RELEASE =
      """
      update leadership
      set leader = null, address = null, since = null, lease_until = clock_timestamp()
      where domain = 'default' and incarnation = ? and epoch = ? and leader = ?\
      """;

  private final DataSource dataSource;
  private final DSLContext sql;
  private final Seal seal;

  /// @param dataSource connections with [#SETTINGS]
  /// @param sql reaches every tenant's rows
  public PostgresSchedulerStore(DataSource dataSource, DSLContext sql, Seal seal) {
    this.dataSource = dataSource;
    this.sql = sql;
    this.seal = seal;
  }

  /// With two connections of its own for the leader's transactions.
  ///
  /// @param sql reaches every tenant's rows
  public static PostgresSchedulerStore of(Database database, DSLContext sql, Seal seal) {
    return new PostgresSchedulerStore(database.reserve("leader", 2, SETTINGS), sql, seal);
  }

  @Override
  public Row leadership() {
    return row(sql, false);
  }

  private static Row row(DSLContext sql, boolean lock) {
    var left = millis("lease_until - clock_timestamp()");
    var silence = millis("clock_timestamp() - renewed_at");
    var query =
        sql.select(LEADERSHIP.fields())
            .select(left, silence)
            .from(LEADERSHIP)
            .where(LEADERSHIP.DOMAIN.eq(DOMAIN));
    Record row = lock ? query.forUpdate().fetchSingle() : query.fetchSingle();
    return new Row(
        new Leadership(
            row.get(LEADERSHIP.INCARNATION),
            row.get(LEADERSHIP.EPOCH),
            Optional.ofNullable(row.get(LEADERSHIP.LEADER)),
            Optional.ofNullable(row.get(LEADERSHIP.ADDRESS)),
            Optional.ofNullable(row.get(LEADERSHIP.SINCE))),
        Duration.ofMillis(row.get(left)),
        Duration.ofMillis(row.get(silence)),
        row.get(LEADERSHIP.LAST_BATCH),
        row.get(LEADERSHIP.VERSION));
  }

  /// Rounded down, so that a period that has just begun is not over for a moment.
  private static Field<Long> millis(String interval) {
    return DSL.field(
        "floor(extract(epoch from " + interval + ") * 1000)::bigint", SQLDataType.BIGINT);
  }

  @Override
  public Optional<Row> takeOver(Candidate candidate, boolean holderLost) {
    return sql.transactionResult(transaction -> {
      boundPauses(transaction.dsl(), candidate.lease());
      int taken =
          transaction
              .dsl()
              .execute(
                  TAKE_OVER,
                  candidate.name(),
                  candidate.address(),
                  candidate.lease().toMillis(),
                  holderLost,
                  candidate.missed().toMillis());
      return taken == 1 ? Optional.of(row(transaction.dsl(), false)) : Optional.empty();
    });
  }

  private static void boundPauses(DSLContext transaction, Duration lease) {
    transaction.fetch(BatchSql.BOUND_PAUSES, Long.toString(lease.toMillis() / 2));
  }

  @Override
  public void release(Leadership leader) {
    sql.execute(RELEASE, leader.incarnation(), leader.epoch(), name(leader));
  }

  private static String name(Leadership leader) {
    return leader.leader().orElseThrow();
  }

  @Override
  public CommitResult commit(Leadership leader, Duration lease, Batch batch) {
    Script script =
        new Script()
            .add(
                BatchSql.FENCE,
                batch.id(),
                batch.version(),
                batch.isRenewal(),
                lease.toMillis(),
                leader.incarnation(),
                leader.epoch(),
                name(leader));
    BatchScript.add(script, batch, seal);
    script.add(BatchSql.COMMIT);
    try (Connection connection = dataSource.getConnection()) {
      connection.setAutoCommit(false);
      // A leader that gets no answer for a lease has lost its leadership, so a longer wait is
      // useless.
      connection.setNetworkTimeout(Runnable::run, Math.toIntExact(lease.toMillis()));
      try {
        script.run(connection);
        return new CommitResult.Committed();
      } catch (SQLException e) {
        undo(connection, e);
        if (BatchSql.TOO_LATE.equals(e.getSQLState())) {
          return resolve(leader, lease, batch.id()) instanceof Resolution.Deposed(Leadership now)
              ? new CommitResult.Deposed(now)
              : new CommitResult.Unknown(e);
        }
        if (isOutcomeKnown(e)) {
          throw new IllegalStateException("batch " + batch.id() + " cannot be written", e);
        }
        return new CommitResult.Unknown(e);
      } finally {
        if (!connection.isClosed()) {
          connection.setAutoCommit(true);
        }
      }
    } catch (SQLException e) {
      return new CommitResult.Unknown(e);
    }
  }

  /// Nothing of it may become durable by the end of the transaction; without a connection it will
  /// not.
  private static void undo(Connection connection, SQLException cause) {
    try {
      connection.rollback();
    } catch (SQLException e) {
      cause.addSuppressed(e);
    }
  }

  /// The server itself refused a statement for its content: trying again would end in the same
  /// error.
  private static boolean isOutcomeKnown(SQLException failure) {
    String state = String.valueOf(failure.getSQLState());
    return state.startsWith("22") || state.startsWith("23") || state.startsWith("42");
  }

  @Override
  public Resolution resolve(Leadership leader, Duration lease, long batch) {
    try {
      // The lost transaction holds the row's lock until it ends, so this read comes after it.
      Row row =
          sql.transactionResult(transaction -> {
            boundPauses(transaction.dsl(), lease);
            return row(transaction.dsl(), true);
          });
      Leadership now = row.leadership();
      if (now.incarnation().equals(leader.incarnation()) && now.epoch() < leader.epoch()) {
        // The database is an older copy, because epochs never fall.
        return new Resolution.DidNotHappen(row.lastBatch());
      }
      if (!now.incarnation().equals(leader.incarnation())
          || now.epoch() != leader.epoch()
          || !now.leader().equals(leader.leader())) {
        return new Resolution.Deposed(now);
      }
      return row.lastBatch() >= batch
          ? new Resolution.Happened()
          : new Resolution.DidNotHappen(row.lastBatch());
    } catch (RuntimeException e) {
      return new Resolution.Unreachable(e);
    }
  }

  @Override
  public LoadedState load() {
    return load(OptionalLong.empty());
  }

  @Override
  public LoadedState sample(int jobs) {
    Result<Record1<Long>> oldest =
        sql.select(JOB.ID).from(JOB).where(JOB.STATE.in(ALIVE)).orderBy(JOB.ID).limit(jobs).fetch();
    long last = oldest.isEmpty() ? 0 : oldest.getLast().value1();
    return load(OptionalLong.of(last));
  }

  /// @param lastJob highest id of the jobs that are read; empty: all are
  private LoadedState load(OptionalLong lastJob) {
    return sql.transactionResult(transaction -> {
      DSLContext read = transaction.dsl();
      read.execute("set transaction isolation level repeatable read, read only");
      Row row = row(read, false);
      return new LoadedState(
          read.connectionResult(connection -> JobRows.read(connection, lastJob)),
          read.connectionResult(connection -> AttemptRows.read(connection, lastJob)),
          holds(read, lastJob),
          contacts(read),
          demand(read),
          RunTimeRows.read(read),
          PastUseRows.read(read),
          UsageRows.read(read),
          BudgetRows.read(read),
          WaitRows.read(read),
          catalogs(read),
          lastJob(read),
          row.version(),
          row.lastBatch());
    });
  }

  private static long lastJob(DSLContext read) {
    return read.select(DSL.coalesce(DSL.max(JOB.ID), 0L)).from(JOB).fetchSingle().value1();
  }

  private static List<Hold> holds(DSLContext read, OptionalLong lastJob) {
    Condition which = lastJob.isPresent() ? HOLD.JOB_ID.le(lastJob.getAsLong()) : noCondition();
    Map<Long, List<Record>> workers = new HashMap<>();
    for (Record worker :
        read.selectFrom(HOLD_WORKER).orderBy(HOLD_WORKER.JOB_ID, HOLD_WORKER.WORKER).fetch()) {
      workers.computeIfAbsent(worker.get(HOLD_WORKER.JOB_ID), _ -> new ArrayList<>()).add(worker);
    }
    return read.selectFrom(HOLD)
        .where(which)
        .orderBy(HOLD.JOB_ID)
        .fetch(row -> hold(row, workers.getOrDefault(row.get(HOLD.JOB_ID), List.of())));
  }

  private static Hold hold(Record row, List<Record> workers) {
    TenantId tenant = new TenantId(row.get(HOLD.TENANT));
    List<WorkerPlace> places =
        workers.stream().map(worker -> RowMapper.held(tenant, worker)).toList();
    List<AttemptId> victims = new ArrayList<>();
    Long[] jobs = row.get(HOLD.VICTIM_JOBS);
    Integer[] attempts = row.get(HOLD.VICTIM_ATTEMPTS);
    for (int i = 0; i < jobs.length; i++) {
      victims.add(new AttemptId(new JobId(jobs[i]), attempts[i]));
    }
    return new Hold(
        new JobId(row.get(HOLD.JOB_ID)),
        new Assignment(new PoolId(tenant, row.get(HOLD.POOL)), places),
        victims,
        Optional.ofNullable(row.get(HOLD.RULE)).map(PreemptionRule::valueOf),
        Optional.ofNullable(row.get(HOLD.EXPECTED_START)),
        Optional.ofNullable(row.get(HOLD.UNTIL)),
        row.get(HOLD.SINCE));
  }

  private static List<NodeContact> contacts(DSLContext read) {
    return read.selectFrom(NODE_CONTACT)
        .orderBy(NODE_CONTACT.TENANT, NODE_CONTACT.NODE)
        .fetch(row ->
            new NodeContact(
                new NodeId(new TenantId(row.getTenant()), row.getNode()),
                row.getBootId(),
                row.getSessionId(),
                row.getAgentVersion(),
                row.getSimulated(),
                row.getConnectedAt()));
  }

  private static List<Demanded> demand(DSLContext read) {
    var last =
        read.select(JOB.TENANT, JOB.PROFILE)
            .from(JOB)
            .orderBy(JOB.ID.desc())
            .limit(LoadedState.LAST_JOBS)
            .asTable("last");
    Field<String> tenant = Objects.requireNonNull(last.field(JOB.TENANT));
    Field<String> profile = Objects.requireNonNull(last.field(JOB.PROFILE));
    return read.select(tenant, profile, DSL.count())
        .from(last)
        .groupBy(tenant, profile)
        .orderBy(tenant, profile)
        .fetch(row ->
            new Demanded(new ProfileId(new TenantId(row.value1()), row.value2()), row.value3(), 0));
  }

  /// A catalog with a part that cannot be decrypted counts as absent, so its source sends a
  /// snapshot.
  private Map<String, LoadedState.Catalog> catalogs(DSLContext read) {
    Map<String, List<CatalogEntry>> entries = new HashMap<>();
    Set<String> unreadable = new HashSet<>();
    for (var row :
        read.selectFrom(CATALOG_ENTRY).orderBy(CATALOG_ENTRY.SOURCE, CATALOG_ENTRY.KEY).fetch()) {
      seal.tryOpen(row.getDocument(), SealedColumns.ofCatalog(row.getSource(), row.getKey()))
          .ifPresentOrElse(
              document ->
                  entries
                      .computeIfAbsent(row.getSource(), _ -> new ArrayList<>())
                      .add(new CatalogEntry(row.getKey(), Document.of(document))),
              () -> unreadable.add(row.getSource()));
    }
    Map<String, LoadedState.Catalog> catalogs = new LinkedHashMap<>();
    for (var row : read.selectFrom(CATALOG_SOURCE).orderBy(CATALOG_SOURCE.SOURCE).fetch()) {
      if (!unreadable.contains(row.getSource())) {
        catalogs.put(
            row.getSource(),
            new LoadedState.Catalog(
                new WatchPosition(row.getIncarnation(), row.getVersion()),
                entries.getOrDefault(row.getSource(), List.of())));
      }
    }
    return catalogs;
  }
}
