package io.headgate.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.kit.client.ChannelConfig;
import io.headgate.kit.config.Secret;
import io.headgate.kit.db.Database;
import io.headgate.kit.db.DatabaseConfig;
import io.headgate.kit.db.EncryptionKeyCommands;
import io.headgate.kit.file.SecretFile;
import io.headgate.kit.lifecycle.CannotStartException;
import io.headgate.kit.telemetry.Telemetry;
import io.headgate.kit.testing.PostgresFixture;
import io.headgate.kit.testing.TestClock;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executors;
import org.jooq.impl.DSL;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

class AdminKeyTest {
  @RegisterExtension static final PostgresFixture POSTGRES = PostgresFixture.of("policy");

  @TempDir Path directory;

  private final List<Secret> handed = new ArrayList<>();

  @Test
  void isMadeAtTheFirstStartOnly() {
    DatabaseConfig database = POSTGRES.fresh();
    try (PolicyService first = open(database)) {
      assertThat(first.ensureAdminKey(handed::add)).isTrue();
      assertThat(first.ensureAdminKey(handed::add)).isFalse();
    }
    try (PolicyService second = open(database)) {
      assertThat(second.ensureAdminKey(handed::add)).isFalse();
    }
    assertThat(handed).hasSize(1);
    assertThat(handed.getFirst().reveal()).startsWith("hg_op_");
  }

  @Test
  void isNotMadeIfNobodyCouldKeepIt() {
    try (PolicyService service = open(POSTGRES.fresh())) {
      assertThatThrownBy(() ->
              service.ensureAdminKey(_ -> {
                throw new IllegalStateException("the disk is full");
              }))
          .hasMessageContaining("the disk is full");
      assertThat(service.ensureAdminKey(handed::add)).isTrue();
    }
  }

  @Test
  void ofTwoProcessesThatStartAtOnceOneMakesIt() throws Exception {
    DatabaseConfig database = POSTGRES.fresh();
    try (PolicyService a = open(database);
        PolicyService b = open(database);
        var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Secret> both = Collections.synchronizedList(handed);
      var one = threads.submit(() -> a.ensureAdminKey(both::add));
      var two = threads.submit(() -> b.ensureAdminKey(both::add));
      assertThat(one.get() ^ two.get()).isTrue();
    }
    assertThat(handed).hasSize(1);
  }

  @Test
  void canBeReplacedOnTheMachine() {
    try (PolicyService service = open(POSTGRES.fresh())) {
      service.ensureAdminKey(handed::add);
      service.resetAdminKey(handed::add);
      assertThat(handed).hasSize(2).doesNotHaveDuplicates();
      assertThat(service.ensureAdminKey(handed::add)).isFalse();
    }
  }

  @Test
  void theDefaultTenantIsMadeOnce() {
    DatabaseConfig database = POSTGRES.fresh();
    PolicyServiceConfig plain = config(database);
    PolicyServiceConfig config =
        new PolicyServiceConfig(
            plain.database(),
            plain.pools(),
            plain.secretsDirectory(),
            Optional.of("acme"),
            plain.tokens(),
            plain.watches());
    for (int start = 0; start < 2; start++) {
      try (PolicyService service =
          new PolicyService(config, Telemetry.disabled(), new TestClock())) {
        service.start();
      }
    }
    try (var jooq = Database.open(database.asOwner())) {
      assertThat(
              jooq.jooq()
                  .select(DSL.field("tenant_id", String.class))
                  .from(DSL.table("tenants"))
                  .fetch(row -> row.value1()))
          .as("the platform's own, and the default one")
          .containsExactlyInAnyOrder("platform", "acme");
    }
  }

  @Test
  void aStartWithTheWrongSecretsFailsAndSaysHowToGoOn() {
    DatabaseConfig database = POSTGRES.fresh();
    try (PolicyService service = open(database)) {
      service.start();
    }
    PolicyServiceConfig other =
        PolicyServiceConfig.of(database, nowhere(), directory.resolve("other"));
    assertThatThrownBy(() -> new PolicyService(other, Telemetry.disabled(), new TestClock()))
        .isInstanceOf(CannotStartException.class)
        .hasMessageContaining(directory.resolve("other").resolve("key-encryption-key").toString())
        .hasMessageContaining("copy that file")
        .hasMessageContaining("--replace-encryption-key");
    assertThat(directory.resolve("other")).doesNotExist();
    EncryptionKeyCommands commands =
        PolicyService.encryptionKey(database, directory.resolve("other"));
    assertThatThrownBy(commands::replace).hasMessageContaining("key-encryption-key is absent");
    new SecretFile(directory.resolve("other").resolve("key-encryption-key")).write("");
    assertThat(commands.replace()).contains("gave up 1 data key(s)");
    try (PolicyService service = new PolicyService(other, Telemetry.disabled(), new TestClock())) {
      service.start();
    }
  }

  private PolicyService open(DatabaseConfig database) {
    return new PolicyService(config(database), Telemetry.disabled(), new TestClock());
  }

  private PolicyServiceConfig config(DatabaseConfig database) {
    return PolicyServiceConfig.of(database, nowhere(), directory.resolve("secrets"));
  }

  private static ChannelConfig nowhere() {
    return ChannelConfig.of(URI.create("http://127.0.0.1:1"));
  }
}
