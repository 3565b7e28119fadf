package io.headgate.policy;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.kit.auth.Role;
import io.headgate.kit.client.TokenSource;
import io.headgate.kit.grpc.ApiServer;
import io.headgate.kit.grpc.ApiServerConfig;
import io.headgate.kit.testing.DenialCheck;
import io.headgate.kit.testing.PostgresFixture;
import io.headgate.kit.testing.ScrapedTelemetry;
import io.headgate.kit.testing.TestChannels;
import io.headgate.kit.time.TimeSource;
import io.headgate.proto.policy.v1.ExchangeKeyRequest;
import io.headgate.proto.policy.v1.TokenServiceGrpc;
import io.headgate.proto.policy.v1.WhoAmIRequest;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
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

  @Test
  void refusalsCountFromZeroAndSoDoTokensAndChanges(@TempDir Path directory) {
    try (ScrapedTelemetry scraped = ScrapedTelemetry.start("policy-service");
        PolicyService service =
            new PolicyService(
                PolicyServiceConfig.of(
                    POSTGRES.fresh(),
                    TestChannels.patient(URI.create("http://127.0.0.1:1")),
                    directory.resolve("secrets")),
                scraped.telemetry(),
                TimeSource.system())) {
      ApiServer.Builder api =
          ApiServer.builder(ApiServerConfig.of("127.0.0.1", 0), scraped.telemetry())
              .authentication(service.verifier());
      service.register(api);
      try (ApiServer server = api.build()) {
        server.start();
        List<String> lines = scraped.scrape();
        assertThat(lines)
            .filteredOn(line -> line.startsWith("headgate_auth_tokens_total{"))
            .hasSize(Role.values().length)
            .allMatch(line -> line.endsWith(" 0.0"));
        assertThat(lines)
            .filteredOn(line -> line.startsWith("headgate_access_changes_total"))
            .hasSize(1)
            .allMatch(line -> line.endsWith(" 0.0"));
        DenialCheck check = new DenialCheck(scraped, server);
        check.counts(
            TokenSource.anonymous(),
            channel -> {
              var _ =
                  TokenServiceGrpc.newBlockingStub(channel)
                      .whoAmI(WhoAmIRequest.getDefaultInstance());
            },
            "",
            "TOKEN_MISSING");
        check.counts(
            TokenSource.anonymous(),
            channel -> {
              var _ =
                  TokenServiceGrpc.newBlockingStub(channel)
                      .exchangeKey(ExchangeKeyRequest.newBuilder().setKey("nonsense").build());
            },
            "ExchangeKey",
            "KEY_REJECTED");
      }
    }
  }
}
