package io.headgate.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.kit.db.Database;
import io.headgate.kit.db.Reach;
import io.headgate.kit.testing.PostgresFixture;
import io.headgate.kit.testing.SchemaRules;
import java.util.List;
import java.util.Set;
import org.jooq.DSLContext;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/// The rights of the service in its schema, whatever its statements ask for.
final class SchemaTest {
  @RegisterExtension static final PostgresFixture POSTGRES = PostgresFixture.of("policy");

  private static final String FILL =
      """
      insert into tenants (tenant_id, display_name, created_at) values ('acme', '', now()), ('other', '', now());
      insert into groups (tenant_id, group_id) values ('acme', 'g'), ('other', 'g');\
      """;
  private static final String FORGETFUL = "select distinct tenant_id from groups";

  private final SchemaRules rules = new SchemaRules(POSTGRES.config());

  @Test
  void everyTableOfTenantsIsSecured() {
    rules.everyTableOfTenantsIsSecured(
        Set.of(
            "access_watch",
            "audit_chain_start",
            "data_key",
            "flyway_schema_history",
            "request_log",
            "revocation_watch",
            "revocations",
            "service_secrets",
            "signing_keys"));
  }

  @Test
  void theServiceOwnsNothing() {
    rules.theServiceOwnsNothing();
  }

  @Test
  void functionsOfTheOwnerAreNotTricked() {
    rules.functionsOfTheOwnerAreNotTricked();
  }

  @Test
  void aStatementThatForgetsTheTenantReachesNoOther() {
    var config = POSTGRES.fresh();
    try (Database service = Database.open(config);
        Database owner = Database.open(config.asOwner())) {
      owner.jooq().execute(FILL);
      assertThat(service.transaction(Reach.of("acme"), SchemaTest::seen)).containsExactly("acme");
      assertThat(service.transaction(Reach.EVERY_TENANT, SchemaTest::seen))
          .containsExactlyInAnyOrder("acme", "other");
      assertThat(service.transaction(Reach.NO_TENANT, SchemaTest::seen)).isEmpty();
      assertThat(seen(service.jooq())).as("outside of a transaction").isEmpty();
      assertThat(seen(service.acrossTenants(1))).hasSize(2);
      int changed =
          service.transaction(
              Reach.of("acme"), sql -> sql.execute("update groups set group_id = group_id"));
      assertThat(changed).isOne();
      assertThatThrownBy(() ->
              service.transaction(
                  Reach.of("acme"),
                  sql ->
                      sql.execute(
                          "insert into groups (tenant_id, group_id) values ('other', 'x')")))
          .hasMessageContaining("violates row-level security policy");
    }
  }

  @Test
  void keysOfAnEarlierVersionAreBoundToNoMachine() {
    var config = POSTGRES.before("9");
    PostgresFixture.execute(
        config,
        """
        insert into keys (key_id, kind, tenant_id, owner_id, pool_id, secret_sha256, description, created_at, created_by)
          select 'key' || n, kind, tenant, 'owner' || n, pool, sha256(kind::bytea), '', now(), ''
          from (values (1, 'NODE', 'acme', 'onprem'), (2, 'USER', 'acme', null), (3, 'OPERATOR', null, null))
            as earlier (n, kind, tenant, pool)\
        """);
    Database.open(config).close();
    try (Database owner = Database.open(config.asOwner())) {
      assertThat(
              owner
                  .jooq()
                  .fetch("select key_id from keys where machine_key is null and proof_counter = 0")
                  .getValues("key_id", String.class))
          .containsExactlyInAnyOrder("key1", "key2", "key3");
      String bind =
          "update keys set machine_key = decode(repeat('00', 44), 'hex') where key_id = ?";
      assertThat(owner.jooq().execute(bind, "key1")).isOne();
      assertThatThrownBy(() -> owner.jooq().execute(bind, "key2"))
          .hasMessageContaining("violates check constraint");
    }
  }

  private static List<String> seen(DSLContext sql) {
    return sql.fetch(FORGETFUL).map(row -> row.get(0, String.class));
  }
}
