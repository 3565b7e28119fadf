package io.headgate.scheduler;

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
  @RegisterExtension static final PostgresFixture POSTGRES = PostgresFixture.of("scheduler");

  private static final String FILL =
      """
      insert into name_counter (tenant, prefix, last) values ('acme', 'a', 1), ('other', 'a', 1);
      insert into node_contact (tenant, node, boot_id, session_id, agent_version, simulated, connected_at)
      values ('acme', 'n', '', '', '', true, now()), ('other', 'n', '', '', '', true, now());\
      """;
  private static final String FORGETFUL = "select distinct tenant from node_contact";

  private final SchemaRules rules = new SchemaRules(POSTGRES.config());

  @Test
  void everyTableOfTenantsIsSecured() {
    rules.everyTableOfTenantsIsSecured(
        Set.of(
            "catalog_entry",
            "catalog_source",
            "data_key",
            "flyway_schema_history",
            "leadership",
            "secret",
            "trace_cursor",
            "usage_rollup"));
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
              Reach.of("acme"), sql -> sql.execute("update node_contact set node = node"));
      assertThat(changed).isOne();
      assertThatThrownBy(() ->
              service.transaction(
                  Reach.of("acme"),
                  sql ->
                      sql.execute(
                          "insert into name_counter (tenant, prefix, last) values ('other', 'b', 1)")))
          .hasMessageContaining("violates row-level security policy");
    }
  }

  private static List<String> seen(DSLContext sql) {
    return sql.fetch(FORGETFUL).map(row -> row.get(0, String.class));
  }
}
