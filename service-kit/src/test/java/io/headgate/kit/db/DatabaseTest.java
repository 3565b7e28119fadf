package io.headgate.kit.db;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.kit.config.Secret;
import io.headgate.kit.testing.PostgresFixture;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.Optional;
import org.jooq.impl.DSL;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

@Timeout(240)
class DatabaseTest {
  @RegisterExtension static final PostgresFixture POSTGRES = PostgresFixture.of("shelf");

  @Test
  void migratesAndReads() {
    var jooq = POSTGRES.database().jooq();
    jooq.insertInto(DSL.table("books"), DSL.field("id"), DSL.field("pages"))
        .values("emma", 474)
        .execute();
    assertThat(jooq.fetchCount(DSL.table("books"))).isEqualTo(1);
    assertThat(POSTGRES.database().usage().max()).isEqualTo(16);
  }

  @Test
  void opensTheSameSchemaTwice() {
    DatabaseConfig config = POSTGRES.fresh();
    Database.open(config).close();
    try (Database again = Database.open(config)) {
      assertThat(again.jooq().fetchCount(DSL.table("books"))).isZero();
    }
  }

  @Test
  void refusesAServerThatForgetsCommits() {
    DatabaseConfig unsafe = POSTGRES.fresh();
    DatabaseConfig strict =
        DatabaseConfig.of(unsafe.url(), unsafe.user(), unsafe.password(), unsafe.schema());
    if (fsync(unsafe).equals("on")) {
      // The container of -Pcontainers is durable: nothing to refuse.
      Database.open(strict).close();
      return;
    }
    assertThatThrownBy(() -> Database.open(strict))
        .isInstanceOf(UnsafeDurabilityException.class)
        .hasMessageContaining("fsync = off and synchronous_commit = off");
  }

  @Test
  void givesUpOnAServerThatDoesNotAnswer() throws Exception {
    // The socket accepts by its backlog and then says nothing, like a server that is frozen.
    try (ServerSocket frozen = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
      DatabaseConfig config =
          new DatabaseConfig(
              "jdbc:postgresql://127.0.0.1:" + frozen.getLocalPort() + "/x",
              "shelf",
              Secret.of("x"),
              "shelf",
              Optional.empty(),
              2,
              Duration.ofSeconds(1),
              Duration.ofSeconds(1),
              false);
      assertThatThrownBy(() -> Database.open(config)).hasMessageContaining("as shelf");
    }
  }

  @Test
  void refusesAConfigurationThatCannotWork() {
    Secret password = Secret.of("x");
    assertThatThrownBy(() -> DatabaseConfig.of("mysql://h", "u", password, "s"))
        .hasMessageContaining("jdbc:postgresql://host:port/database");
    assertThatThrownBy(() -> DatabaseConfig.of("jdbc:postgresql://h/d", "u", password, "S;"))
        .hasMessageContaining("schema");
    assertThat(DatabaseConfig.of("jdbc:postgresql://h/d", "u", Secret.of("hunter2"), "s"))
        .asString()
        .doesNotContain("hunter2");
  }

  private static String fsync(DatabaseConfig config) {
    try (Database database = Database.open(config)) {
      return String.valueOf(database.jooq().fetchValue("show fsync"));
    }
  }
}
