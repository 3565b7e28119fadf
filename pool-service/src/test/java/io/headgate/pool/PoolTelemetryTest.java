package io.headgate.pool;

import io.headgate.kit.testing.PostgresFixture;
import io.headgate.kit.testing.ScrapedTelemetry;
import io.headgate.kit.testing.TestSecrets;
import io.headgate.kit.time.TimeSource;
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
}
