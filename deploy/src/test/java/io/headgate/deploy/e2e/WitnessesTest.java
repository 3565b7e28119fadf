package io.headgate.deploy.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.kit.db.DatabaseConfig;
import io.headgate.kit.testing.PostgresFixture;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// The checks after faults detect violations: each sees a run with one thing wrong.
final class WitnessesTest {
  @RegisterExtension static final PostgresFixture POSTGRES = PostgresFixture.of("scheduler");

  private static final int LIMIT = 2;

  @TempDir Path logs;

  private Connection connection;

  /// The columns of the scheduler's tables that the queries read, and two jobs. Each ran on a GPU
  /// of its own, the second one again after its first attempt was lost.
  @BeforeEach
  void run() throws SQLException {
    DatabaseConfig config = POSTGRES.config().asOwner();
    connection =
        DriverManager.getConnection(config.url(), config.user(), config.password().reveal());
    execute(
        """
        create temp table job (id bigint, name text, state text);
        create temp table hold (job_id bigint);
        create temp table attempt (job_id bigint, number int, epoch bigint,
          assigned_at timestamptz, ended_at timestamptz);
        create temp table attempt_worker (job_id bigint, attempt int, device_uuids text[],
          device_units bigint[]);
        insert into job values (1, 'one', 'DONE'), (2, 'two', 'DONE');
        insert into attempt values (1, 1, 1, '2026-01-01 10:00', '2026-01-01 12:00'),
          (2, 1, 1, '2026-01-01 10:01', '2026-01-01 11:00'),
          (2, 2, 2, '2026-01-01 11:00', '2026-01-01 12:00');
        insert into attempt_worker values (1, 1, '{a}', '{126000}'),
          (2, 1, '{b}', '{126000}'), (2, 2, '{b}', '{126000}');
        """);
  }

  @AfterEach
  void close() throws SQLException {
    connection.close();
  }

  private void execute(String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  @Test
  void theTablesOfAGoodRunPass() {
    assertThatCode(() -> DatabaseCheck.check(connection, LIMIT)).doesNotThrowAnyException();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          slices that two held at once | update attempt_worker set device_uuids = '{a}' where attempt = 2
          use above the limit | update attempt_worker set device_units = '{126001}' where attempt = 2
          jobs with two attempts at once | update attempt set ended_at = '2026-01-01 11:01', epoch = 1 where (job_id, number) = (2, 1); update attempt_worker set device_uuids = '{c}', device_units = '{0}' where attempt = 2
          epochs that fell | update attempt set epoch = 3 where (job_id, number) = (2, 1)
          what did not end | update job set state = 'RUNNING' where id = 1
          what did not end | update attempt set ended_at = null where (job_id, number) = (2, 2)
          what did not end | insert into hold values (1)
          """)
  void theTablesOfABadRunDoNot(String what, String wrong) throws SQLException {
    execute(wrong);
    assertThatThrownBy(() -> DatabaseCheck.check(connection, LIMIT)).hasMessageContaining(what);
  }

  @Test
  void anErrorInALogIsSeen() throws Exception {
    Path log = Files.writeString(logs.resolve("scheduler-1.log"), "10:00 INFO  i.h.s.Main ready\n");
    assertThatCode(() -> ProcessLogs.checkErrors(logs)).doesNotThrowAnyException();
    Files.writeString(log, "10:01 ERROR i.h.s.runtime.Replica broke\n");
    assertThatThrownBy(() -> ProcessLogs.checkErrors(logs)).hasMessageContaining("broke");
  }

  @Test
  void anAgentThatTurnsToAnEarlierLeaderIsSeen() throws Exception {
    Path log = logs.resolve("n-0.log");
    String first = "n-0 reports to Leadership[incarnation=a, epoch=9, leader=s-1]\n";
    String second = first.replace("=9", "=10");
    assertThatThrownBy(
            () -> ProcessLogs.checkEpochs(Files.writeString(log, "n-0 waits\n").getParent()))
        .as("one that turned to nobody")
        .isInstanceOf(AssertionError.class);
    Files.writeString(log, first + second);
    assertThatCode(() -> ProcessLogs.checkEpochs(logs)).doesNotThrowAnyException();
    Files.writeString(log, second + first);
    assertThatThrownBy(() -> ProcessLogs.checkEpochs(logs)).hasMessageContaining("n-0.log");
  }

  @ParameterizedTest
  @CsvSource({
    // On a calm machine, and on one that is half as fast.
    "1.0, 10000, KEPT",
    "1.0, 10001, BROKEN",
    "2.0, 20000, KEPT",
    "2.0, 20001, BROKEN",
    // On a slower one: it was that fast, or nothing is shown, or it was slower than that machine.
    "3.0, 10000, KEPT",
    "3.0, 10001, NOT_SHOWN",
    "3.0, 30000, NOT_SHOWN",
    "3.0, 30001, BROKEN",
    "9.0, 40000, NOT_SHOWN",
    "9.0, 40001, BROKEN"
  })
  void aTimeIsJudgedByThePaceOfTheMachine(double factor, long tookMs, Pace.Verdict verdict) {
    assertThat(Pace.judge(Duration.ofSeconds(10), factor, tookMs)).isEqualTo(verdict);
  }
}
