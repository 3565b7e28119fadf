package io.headgate.kit.db;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.kit.lifecycle.CannotStartException;
import io.headgate.kit.testing.PostgresFixture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// A service works with fewer rights than the owner of its schema has.
final class DatabaseRolesTest {
  @RegisterExtension static final PostgresFixture POSTGRES = PostgresFixture.of("ledger");

  @Test
  void aServiceReadsAndWritesRows() {
    try (Database database = Database.open(POSTGRES.config())) {
      assertThat(database.jooq().fetchValue("select current_user")).hasToString("ledger_writer");
      assertThatCode(
              () -> {
                database.jooq().execute("insert into note values (now(), 'to a partition')");
                database.jooq().execute("update note set body = 'through its table'");
                database.jooq().execute("delete from note");
                database.jooq().execute("insert into audit_log (action) values ('Create')");
                database.jooq().fetch("select * from audit_log");
              })
          .doesNotThrowAnyException();
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "update audit_log set action = 'x'",
        "delete from audit_log",
        "truncate audit_log",
        "alter table audit_log disable trigger all",
        "alter table audit_log disable row level security",
        "create trigger t before insert on audit_log execute function suppress_redundant_updates_trigger()",
        "alter table audit_log owner to ledger_writer",
        "drop table audit_log",
        "drop table account",
        "truncate account",
        "alter table account add column more text",
        "create table of_its_own (n int)",
        "create function f() returns int language sql as 'select 1'",
        "create temporary table account (n int)",
        "delete from flyway_schema_history",
        "select * from note_rest",
        "drop schema ledger cascade",
        "set role ledger",
        "create role another",
      })
  void aServiceMayNot(String statement) {
    try (Database database = Database.open(POSTGRES.config())) {
      assertThatThrownBy(() -> database.jooq().execute(statement))
          .hasStackTraceContaining("ERROR: ")
          .satisfies(refused ->
              assertThat(refused.getMessage())
                  .containsAnyOf("permission denied", "must be owner", "must be able to SET ROLE"));
    }
  }

  /// Before there were two roles, the role with the name of the schema did all.
  @Test
  void aSchemaOfOneRoleGoesOnWithTwo() {
    DatabaseConfig both = POSTGRES.fresh();
    try (Database before = Database.open(both.asOwner())) {
      before.jooq().execute("insert into audit_log (action) values ('Early')");
    }
    try (Database after = Database.open(both)) {
      assertThat(after.jooq().fetchValue("select action from audit_log")).isEqualTo("Early");
      assertThatThrownBy(() -> after.jooq().execute("delete from audit_log"))
          .hasMessageContaining("permission denied");
    }
  }

  @Test
  void aRightThatWasGivenByHandIsTakenAtTheNextStart() {
    DatabaseConfig config = POSTGRES.fresh();
    Database.open(config).close();
    try (Database owner = Database.open(config.asOwner())) {
      owner.jooq().execute("grant all on audit_log, account to ledger_writer");
    }
    try (Database database = Database.open(config)) {
      assertThatThrownBy(() -> database.jooq().execute("delete from audit_log"))
          .hasMessageContaining("permission denied");
      assertThatThrownBy(() -> database.jooq().execute("truncate account"))
          .hasMessageContaining("permission denied");
    }
  }

  @Test
  void withoutTheOwnerAServiceStartsOnAMigratedSchemaOnly() {
    DatabaseConfig both = POSTGRES.fresh();
    DatabaseConfig writer =
        DatabaseConfig.of(both.url(), both.user(), both.password(), both.schema())
            .withUnsafeDurability();
    Database.open(both).close();
    Database.open(writer).close();
    try (Database owner = Database.open(both.asOwner())) {
      owner.jooq().execute("delete from flyway_schema_history where version = '1'");
    }
    assertThatThrownBy(() -> Database.open(writer))
        .isInstanceOf(CannotStartException.class)
        .hasMessage(
            "the schema ledger lacks the migrations 1, and the role ledger_writer does not own it:"
                + " set database.owner.user and database.owner.password, at least for this start");
  }

  @Test
  void twoServicesThatStartAtOnceBothStart() throws Exception {
    DatabaseConfig config = POSTGRES.fresh();
    Thread[] starts = new Thread[4];
    Throwable[] failures = new Throwable[starts.length];
    for (int i = 0; i < starts.length; i++) {
      int own = i;
      starts[i] =
          Thread.ofVirtual()
              .start(() -> {
                try {
                  Database.open(config).close();
                } catch (RuntimeException e) {
                  failures[own] = e;
                }
              });
    }
    for (Thread start : starts) {
      start.join();
    }
    assertThat(failures).containsOnlyNulls();
  }
}
