package io.headgate.policy;

import io.headgate.kit.testing.PostgresFixture;
import io.headgate.kit.testing.ScrapedTelemetry;
import io.headgate.kit.testing.TestChannels;
import io.headgate.kit.time.TimeSource;
import java.net.URI;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

class PolicyTelemetryTest {
  @RegisterExtension static final PostgresFixture POSTGRES = PostgresFixture.of("policy");

  @Test
  void aScrapeShowsTheConnectionsToTheDatabaseAndWarnsOfNothing(@TempDir Path directory) {
    try (ScrapedTelemetry scraped = ScrapedTelemetry.start("policy-service");
        PolicyService _ =
            new PolicyService(
                PolicyServiceConfig.of(
                    POSTGRES.config(),
                    TestChannels.patient(URI.create("http://127.0.0.1:1")),
                    directory.resolve("secrets")),
                scraped.telemetry(),
                TimeSource.system())) {
      scraped.showsConnectionsTo("policy");
    }
  }
}
