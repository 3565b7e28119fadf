package io.headgate.pool;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.Channel;
import io.headgate.kit.client.TokenSource;
import io.headgate.kit.grpc.ApiServer;
import io.headgate.kit.grpc.ApiServerConfig;
import io.headgate.kit.testing.DenialCheck;
import io.headgate.kit.testing.PostgresFixture;
import io.headgate.kit.testing.ScrapedTelemetry;
import io.headgate.kit.testing.TestSecrets;
import io.headgate.kit.testing.TestTokens;
import io.headgate.kit.time.TimeSource;
import io.headgate.proto.pool.v1.CreatePoolRequest;
import io.headgate.proto.pool.v1.PoolServiceGrpc;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class PoolTelemetryTest {
  @RegisterExtension static final PostgresFixture POSTGRES = PostgresFixture.of("pool");

  @Test
  void aScrapeShowsTheConnectionsToTheDatabaseAndWarnsOfNothing() {
    try (ScrapedTelemetry scraped = ScrapedTelemetry.start("pool-service");
        PoolService service =
            PoolService.open(
                PoolServiceConfig.of(POSTGRES.config(), TestSecrets.directory()),
                scraped.telemetry(),
                TimeSource.system())) {
      service.start();
      scraped.showsConnectionsTo("pool");
    }
  }

  @Test
  void refusalsAndChangesCountFromZero() {
    TestTokens tokens = TestTokens.create();
    try (ScrapedTelemetry scraped = ScrapedTelemetry.start("pool-service");
        PoolService service =
            PoolService.open(
                PoolServiceConfig.of(POSTGRES.config(), TestSecrets.directory()),
                scraped.telemetry(),
                TimeSource.system())) {
      ApiServer.Builder api =
          ApiServer.builder(ApiServerConfig.of("127.0.0.1", 0), scraped.telemetry())
              .authentication(tokens.verifier());
      service.register(api);
      try (ApiServer server = api.build()) {
        server.start();
        assertThat(scraped.scrape())
            .filteredOn(line -> line.startsWith("headgate_pool_catalog_changes_total"))
            .hasSize(1)
            .allMatch(line -> line.endsWith(" 0.0"));
        DenialCheck check = new DenialCheck(scraped, server);
        check.counts(TokenSource.anonymous(), PoolTelemetryTest::createPool, "", "TOKEN_MISSING");
        check.counts(
            () -> Optional.of(tokens.member("acme", "ada")),
            PoolTelemetryTest::createPool,
            "CreatePool",
            "ROLE_DENIED");
      }
    }
  }

  private static void createPool(Channel channel) {
    var _ =
        PoolServiceGrpc.newBlockingStub(channel)
            .createPool(CreatePoolRequest.newBuilder().setParent("tenants/acme").build());
  }
}
