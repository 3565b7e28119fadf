package io.headgate.deploy.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

import io.grpc.ManagedChannel;
import io.headgate.kit.client.Channels;
import io.headgate.kit.client.TokenSource;
import io.headgate.kit.failure.GrpcFailures;
import io.headgate.kit.failure.Refusal;
import io.headgate.kit.telemetry.Telemetry;
import io.headgate.kit.testing.TestChannels;
import io.headgate.proto.policy.v1.ExchangeKeyRequest;
import io.headgate.proto.policy.v1.TokenServiceGrpc;
import io.headgate.sdk.client.HeadgateClient;
import io.headgate.sdk.config.ConfigurationReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The services and an agent as processes, and a thief with the key of the node.
class StolenNodeKeyIT {
  private static final Pattern KEY = Pattern.compile("(?m)^key=(hg_node_\\S+)$");
  private static final String CONFIGURATION =
      """
      apiVersion: headgate/v1
      kind: Configuration
      tenant: acme
      groups: [{name: team, users: [ada]}]
      pools: [{name: local, type: static}]
      profiles: [{name: one, gpus: 1, pools: [local]}]
      policies:
        - {name: team, group: team, limit: 1, queues: [{name: one, profile: one}]}
      """;

  @TempDir private Path directory;
  private ServicesApart apart;
  private AgentProcesses agents;

  @BeforeEach
  void start() throws Exception {
    apart = ServicesApart.start(directory.resolve("data"));
    agents =
        new AgentProcesses(
            apart.uri(), List.of(apart.schedulerUri()), directory, List.of(), _ -> Map.of());
  }

  @AfterEach
  void stop() throws Exception {
    if (agents != null) {
      agents.end();
    }
    if (apart != null) {
      apart.end();
    }
  }

  @Test
  void theKeyOfANodeServesItsOwnMachineOnlyAlsoAfterACrash() throws Exception {
    try (HeadgateClient operator = apart.operator()) {
      operator
          .configuration(TestInstallation.TENANT)
          .apply(ConfigurationReader.read("test.yaml", CONFIGURATION).configuration());
      agents.add(operator, "gpu-1", "local", "2xH100");
      assertThat(apart.cli().run("keys").out()).contains("gpu-1").doesNotContain("(unbound)");

      String stolen =
          KEY.matcher(Files.readString(directory.resolve("gpu-1/identity")))
              .results()
              .map(result -> result.group(1))
              .findFirst()
              .orElseThrow();
      Refusal refusal = exchange(stolen);
      assertThat(refusal.reason()).isEqualTo("KEY_REJECTED");

      agents.process("gpu-1").destroyForcibly();
      await().atMost(Schedulers.PATIENCE).until(() -> registrations() == 2);
      AgentProcesses.awaitConnected(operator, "gpu-1");
      assertThat(exchange(stolen).reason()).isEqualTo("KEY_REJECTED");
    }
  }

  private Refusal exchange(String key) {
    ManagedChannel anonymous =
        Channels.open(
            TestChannels.patient(apart.uri()), TokenSource.anonymous(), Telemetry.disabled());
    try {
      Throwable refused =
          catchThrowable(() ->
              TokenServiceGrpc.newBlockingStub(anonymous)
                  .exchangeKey(ExchangeKeyRequest.newBuilder().setKey(key).build()));
      return GrpcFailures.refusal(refused).orElseThrow();
    } finally {
      Channels.close(anonymous);
    }
  }

  /// How often agents of the node have told what it has.
  private long registrations() throws IOException {
    return Files.readAllLines(directory.resolve("gpu-1.log")).stream()
        .filter(line -> line.contains("registered 2 devices of tenants/acme/nodes/gpu-1"))
        .count();
  }
}
