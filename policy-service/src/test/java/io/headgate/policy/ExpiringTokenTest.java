package io.headgate.policy;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.ManagedChannel;
import io.grpc.Status.Code;
import io.headgate.kit.client.Channels;
import io.headgate.kit.client.TokenSource;
import io.headgate.kit.config.Secret;
import io.headgate.kit.failure.Refusal;
import io.headgate.kit.failure.RefusalException;
import io.headgate.kit.telemetry.Telemetry;
import io.headgate.kit.testing.TestChannels;
import io.headgate.kit.testing.TestClock;
import io.headgate.kit.testing.TestTokens;
import io.headgate.policy.client.GrpcSupplyReader;
import io.headgate.policy.core.name.TenantId;
import io.headgate.policy.runtime.port.Origin;
import io.headgate.policy.runtime.port.SupplyReader.View;
import java.time.Duration;
import java.util.Optional;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.Test;

class ExpiringTokenTest {
  private final TestClock clock = new TestClock();
  private final TestTokens tokens = TestTokens.create(clock);

  @Test
  void aTokenThatExpiresBeforeTheSupplyIsAskedIsTheCallersToRenew() {
    Origin origin =
        new Origin(
            Optional.empty(),
            "127.0.0.1",
            "r",
            Optional.of(Secret.of(tokens.admin("acme"))),
            Optional.empty());
    try (FakePools pools = new FakePools(tokens::jwks, clock)) {
      ManagedChannel channel =
          Channels.open(
              TestChannels.patient(pools.uri()), TokenSource.anonymous(), Telemetry.disabled());
      GrpcSupplyReader reader = new GrpcSupplyReader(channel);
      TenantId acme = new TenantId("acme");
      assertThat(reader.read(origin, acme, View.PROVISIONED)).isNotNull();
      clock.advance(Duration.ofHours(1));
      Refusal refusal =
          Assertions.catchThrowableOfType(
                  RefusalException.class, () -> reader.read(origin, acme, View.PROVISIONED))
              .refusal();
      assertThat(refusal.reason()).isEqualTo("TOKEN_EXPIRED");
      assertThat(refusal.code()).isEqualTo(Code.UNAUTHENTICATED);
      Channels.close(channel);
    }
  }
}
