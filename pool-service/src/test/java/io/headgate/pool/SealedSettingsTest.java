package io.headgate.pool;

import static io.headgate.pool.Client.configuration;
import static io.headgate.pool.Client.pool;
import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.kit.db.Database;
import io.headgate.kit.db.DatabaseConfig;
import io.headgate.kit.seal.Seal;
import io.headgate.kit.seal.SealedPlace;
import io.headgate.kit.telemetry.Telemetry;
import io.headgate.kit.testing.ApiServerExtension;
import io.headgate.kit.testing.PostgresFixture;
import io.headgate.kit.testing.TestSecrets;
import io.headgate.kit.time.TimeSource;
import io.headgate.proto.pool.v1.Elasticity;
import io.headgate.proto.pool.v1.GetResourceConfigurationRequest;
import io.headgate.proto.pool.v1.Instance;
import io.headgate.proto.pool.v1.Pool;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/// Settings of providers lie sealed in the database.
class SealedSettingsTest {
  @Order(1)
  @RegisterExtension
  static final PostgresFixture POSTGRES = PostgresFixture.of("pool");

  @Order(2)
  @RegisterExtension
  static final PoolFixture POOL = PoolFixture.on(POSTGRES);

  @Order(3)
  @RegisterExtension
  static final ApiServerExtension SERVER = new ApiServerExtension(POOL::register);

  private static Client admin(String tenant) {
    return new Client(SERVER.channel(SERVER.tokens().admin(tenant)));
  }

  private static Pool cloud(String tenant, String token) {
    return pool(tenant, "cloud")
        .setType(Pool.Type.TYPE_ELASTIC)
        .setElasticity(
            Elasticity.newBuilder()
                .setProvider("exec")
                .putSettings("token", token)
                .putSettings("region", "north")
                .setInstance(Instance.newBuilder().setGpus(1).setGpuModel("A100"))
                .setMaxInstances(1))
        .build();
  }

  private static Map<String, String> settings(String tenant) {
    return admin(tenant)
        .configurations
        .getResourceConfiguration(
            GetResourceConfigurationRequest.newBuilder().setParent("tenants/" + tenant).build())
        .getPools(0)
        .getElasticity()
        .getSettingsMap();
  }

  @Test
  void aMovedSettingIsMissingThereAndNowhereElse() {
    String victim = Client.newTenant();
    String thief = Client.newTenant();
    admin(victim).apply(victim, configuration(List.of(cloud(victim, "swordfish")), List.of()));
    admin(thief).apply(thief, configuration(List.of(cloud(thief, "own")), List.of()));
    PostgresFixture.execute(
        POSTGRES.config(),
        """
        update provider_settings set value = (
          select value from provider_settings where tenant_id = ? and key = 'token')
        where tenant_id = ? and key = 'token'\
        """,
        victim,
        thief);
    assertThat(settings(thief)).containsExactly(Map.entry("region", "north"));
    assertThat(settings(victim)).containsEntry("token", "swordfish");
    admin(thief).apply(thief, configuration(List.of(cloud(thief, "again")), List.of()));
    assertThat(settings(thief)).containsEntry("token", "again");
  }

  @Test
  void whatTheFirstStartSealedIsReadAsBefore() {
    String tenant = Client.newTenant();
    admin(tenant).apply(tenant, configuration(List.of(cloud(tenant, "swordfish")), List.of()));
    try (Database owner = Database.open(POSTGRES.config().asOwner())) {
      Seal seal = TestSecrets.seal(owner);
      for (var row :
          owner
              .jooq()
              .fetch(
                  "select tenant_id, content_id, pool_id, key, value from provider_settings"
                      + " where tenant_id = ?",
                  tenant)) {
        List<String> place =
            IntStream.range(0, 4).mapToObj(i -> String.valueOf(row.get(i))).toList();
        owner
            .jooq()
            .execute(
                "update provider_settings set value = null, open_value = ?"
                    + " where tenant_id = ? and content_id = ? and pool_id = ? and key = ?",
                seal.openText(
                    row.get(4, byte[].class), new SealedPlace("provider_settings", "value", place)),
                row.get(0),
                row.get(1),
                row.get(2),
                row.get(3));
      }
      // Another process of the service starts.
      POOL.open().close();
      assertThat(owner.jooq().fetch("select 1 from provider_settings where value is null"))
          .isEmpty();
    }
    assertThat(settings(tenant))
        .containsOnly(Map.entry("token", "swordfish"), Map.entry("region", "north"));
  }

  @Test
  void theFirstStartSealsWhatAnEarlierVersionStored() {
    DatabaseConfig database = POSTGRES.before("12");
    PostgresFixture.execute(database, "insert into configurations values ('acme', 0, 1)");
    PostgresFixture.execute(database, "insert into contents values ('acme', 1)");
    PostgresFixture.execute(
        database,
        "insert into pools (tenant_id, content_id, pool_id, description)"
            + " values ('acme', 1, 'cloud', '')");
    PostgresFixture.execute(
        database,
        """
        insert into elasticities (tenant_id, content_id, pool_id, provider, instance_gpus,
          gpu_memory_bytes, cpu_millis, memory_bytes, min_instances, max_instances,
          idle_timeout_ms, spot) values ('acme', 1, 'cloud', 'exec', 1, 0, 0, 0, 0, 1, 0, false)\
        """);
    PostgresFixture.execute(
        database, "insert into provider_settings values ('acme', 1, 'cloud', 'token', 'open')");
    PostgresFixture.execute(
        database, "insert into secrets (use, value) values ('page-tokens', ?)", new byte[32]);
    for (int start = 0; start < 2; start++) {
      PoolService.open(
              PoolServiceConfig.of(database, TestSecrets.directory()),
              Telemetry.disabled(),
              TimeSource.system())
          .close();
    }
    try (Database owner = Database.open(database.asOwner())) {
      var row = owner.jooq().fetchSingle("select open_value, value from provider_settings");
      assertThat(row.get(0)).isNull();
      assertThat(new String(row.get(1, byte[].class), StandardCharsets.ISO_8859_1))
          .doesNotContain("open");
      assertThat(owner.jooq().fetch("select * from secrets where open_value is not null"))
          .isEmpty();
    }
  }
}
