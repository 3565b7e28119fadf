package io.headgate.scheduler.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.kit.db.Database;
import io.headgate.kit.db.DatabaseConfig;
import io.headgate.kit.testing.PostgresFixture;
import io.headgate.kit.testing.TestSecrets;
import io.headgate.scheduler.runtime.record.Leadership;
import io.headgate.scheduler.runtime.record.SchedulerStore.Candidate;
import io.headgate.scheduler.runtime.record.SchedulerStore.Resolution;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.jooq.DSLContext;
import org.jooq.ExecuteListener;
import org.jooq.exception.DataAccessException;
import org.jooq.impl.DSL;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/// A process that pauses in a transaction on the row of leadership loses the transaction after half
/// of its lease, so another process can write the row.
final class PausedTransactionTest {
  @RegisterExtension static final PostgresFixture POSTGRES = PostgresFixture.of("scheduler");

  private static final Duration LEASE = Duration.ofSeconds(4);

  /// Longer than half of this lease and shorter than half of the usual lease.
  private static final Duration PATIENCE = Duration.ofMillis(4500);

  private static final Candidate CANDIDATE =
      new Candidate("scheduler-1", "there:1", true, LEASE, Duration.ofMillis(200));

  private final AtomicInteger writes = new AtomicInteger();
  private Database database;
  private Database other;

  @BeforeEach
  void open() {
    DatabaseConfig config = POSTGRES.fresh();
    database = Database.open(config);
    other = Database.open(config);
  }

  @AfterEach
  void close() {
    database.close();
    other.close();
  }

  @Test
  void aTakeOverEndsAfterHalfOfTheLease() {
    PostgresSchedulerStore paused = pausedAfter("update leadership");
    assertThatThrownBy(() -> paused.takeOver(CANDIDATE, false))
        .isInstanceOf(DataAccessException.class);
    assertThat(writes).hasValue(1);
    assertThat(store(database.jooq()).leadership().leadership().leader()).isEmpty();
  }

  @Test
  void aLookAtALostBatchEndsAfterHalfOfTheLease() {
    Leadership leader =
        store(database.jooq()).takeOver(CANDIDATE, false).orElseThrow().leadership();
    PostgresSchedulerStore paused = pausedAfter("for update");
    assertThat(paused.resolve(leader, LEASE, 1)).isInstanceOf(Resolution.Unreachable.class);
    assertThat(writes).hasValue(1);
  }

  /// A store that pauses after a statement until another connection has written the row.
  private PostgresSchedulerStore pausedAfter(String statement) {
    return store(
        DSL.using(
            database
                .jooq()
                .configuration()
                .deriveAppending(
                    ExecuteListener.onExecuteEnd(execution -> {
                      if (String.valueOf(execution.sql()).contains(statement)) {
                        write();
                      }
                    }))));
  }

  private void write() {
    other
        .jooq()
        .transaction(transaction -> {
          transaction.dsl().execute("set local statement_timeout = " + PATIENCE.toMillis());
          writes.addAndGet(
              transaction.dsl().execute("update leadership set lease_until = lease_until"));
        });
  }

  private PostgresSchedulerStore store(DSLContext sql) {
    return new PostgresSchedulerStore(database.dataSource(), sql, TestSecrets.seal(database));
  }
}
