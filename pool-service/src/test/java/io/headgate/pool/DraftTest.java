package io.headgate.pool;

import static io.headgate.pool.Client.configuration;
import static io.headgate.pool.Client.pool;
import static io.headgate.pool.Client.profile;
import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.kit.telemetry.Telemetry;
import io.headgate.kit.testing.ApiServerExtension;
import io.headgate.kit.testing.PostgresFixture;
import io.headgate.kit.time.TimeSource;
import io.headgate.proto.pool.v1.Profile;
import io.headgate.proto.pool.v1.ResourceConfiguration;
import java.util.List;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class DraftTest {
  @Order(1)
  @RegisterExtension
  static final PostgresFixture POSTGRES = PostgresFixture.of("pool");

  @Order(2)
  @RegisterExtension
  static final ApiServerExtension SERVER =
      new ApiServerExtension(api ->
          PoolService.open(
                  PoolServiceConfig.of(POSTGRES.config()),
                  Telemetry.disabled(),
                  TimeSource.system())
              .register(api));

  @Test
  void provisionsADraftAsAVersion() {
    Client admin = new Client(SERVER.channel(SERVER.tokens().admin("acme")));
    ResourceConfiguration version =
        admin.apply(
            "acme",
            configuration(
                List.of(pool("acme", "onprem").addProfileOrder("half").build()),
                List.of(profile("acme", "half", "0.5", "onprem").build())));
    assertThat(version.getVersion()).isEqualTo(1);
    assertThat(version.getProfilesList()).extracting(Profile::getGpus).containsExactly("1/2");
  }
}
