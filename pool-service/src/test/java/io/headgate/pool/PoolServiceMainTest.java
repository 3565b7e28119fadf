package io.headgate.pool;

import static io.headgate.pool.Client.configuration;
import static io.headgate.pool.Client.node;
import static io.headgate.pool.Client.pool;
import static io.headgate.pool.Client.profile;
import static io.headgate.pool.Client.refused;
import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.ManagedChannel;
import io.grpc.stub.StreamObserver;
import io.headgate.kit.client.Channels;
import io.headgate.kit.process.ServiceProcess;
import io.headgate.kit.telemetry.Telemetry;
import io.headgate.kit.testing.ApiServerExtension;
import io.headgate.kit.testing.JavaProcess;
import io.headgate.kit.testing.JavaProcess.Ended;
import io.headgate.kit.testing.PostgresFixture;
import io.headgate.kit.testing.TestChannels;
import io.headgate.kit.testing.TestSecrets;
import io.headgate.proto.policy.v1.GetVerificationKeysRequest;
import io.headgate.proto.policy.v1.GetVerificationKeysResponse;
import io.headgate.proto.policy.v1.TokenServiceGrpc;
import io.headgate.proto.pool.v1.GetNodeRequest;
import io.headgate.proto.pool.v1.GetResourceConfigurationRequest;
import io.headgate.proto.pool.v1.Node;
import io.headgate.proto.pool.v1.RegisterNodeRequest;
import io.headgate.proto.pool.v1.ResourceConfiguration;
import io.headgate.proto.pool.v1.WatchCatalogRequest;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

@Order(1) // It takes longest.
class PoolServiceMainTest {
  private static final Pattern SERVING = Pattern.compile("serving on (http://\\S+)");

  @Order(1)
  @RegisterExtension
  static final PostgresFixture POSTGRES = PostgresFixture.of("pool");

  /// Issues the tokens; the process under test asks it for the keys, over gRPC.
  @Order(2)
  @RegisterExtension
  static final ApiServerExtension ISSUER = new ApiServerExtension(api -> api.service(new Keys()));

  private static final class Keys extends TokenServiceGrpc.TokenServiceImplBase {
    @Override
    public void getVerificationKeys(
        GetVerificationKeysRequest request, StreamObserver<GetVerificationKeysResponse> out) {
      out.onNext(
          GetVerificationKeysResponse.newBuilder().setJwksJson(ISSUER.tokens().jwks()).build());
      out.onCompleted();
    }
  }

  @Test
  void explainsItself() {
    Ended ended = JavaProcess.run(PoolServiceMain.class, List.of("--help"), Map.of());
    assertThat(ended.status()).isZero();
    assertThat(ended.said()).startsWith("usage: pool-service [CONFIG_FILE]");
  }

  @Test
  void namesEveryWrongKey(@TempDir Path directory) throws Exception {
    Path file = directory.resolve("pool.yaml");
    Files.writeString(
        file,
        """
        pool:
          database: {url: 'jdbc:mysql://x', user: pool, schema: pool}
          catalog-logs: 3
        policy: {server: 'http://127.0.0.1:1'}
        """);
    Ended ended = JavaProcess.run(PoolServiceMain.class, List.of(file.toString()), Map.of());
    assertThat(ended.status()).isEqualTo(ServiceProcess.EXIT_USAGE);
    assertThat(ended.said())
        .contains("catalog-logs")
        .contains("pool.database.password")
        .doesNotContain("Exception");
  }

  @Test
  void saysThatTheDatabaseCannotBeReached() {
    Ended ended =
        JavaProcess.run(
            PoolServiceMain.class,
            List.of(),
            Map.of(
                "HEADGATE_POOL_DATABASE_URL", "jdbc:postgresql://127.0.0.1:1/headgate",
                "HEADGATE_POOL_DATABASE_USER", "pool",
                "HEADGATE_POOL_DATABASE_PASSWORD", "hunter2",
                "HEADGATE_POOL_DATABASE_SCHEMA", "pool",
                "HEADGATE_POOL_DATABASE_CONNECT_TIMEOUT", "1s",
                "HEADGATE_POOL_SECRETS_DIRECTORY", TestSecrets.directory().toString(),
                "HEADGATE_POLICY_SERVER", "http://127.0.0.1:1",
                "HEADGATE_SERVICE_KEY", "hg_svc_hunter3"));
    assertThat(ended.status()).isEqualTo(ServiceProcess.EXIT_FAILED);
    assertThat(ended.said())
        .contains("cannot connect to jdbc:postgresql://127.0.0.1:1/headgate as pool")
        .contains("correct database.url")
        .doesNotContain("\tat ")
        .doesNotContain("hunter2");
  }

  @Test
  void whatItAcknowledgedSurvivesItsDeath(@TempDir Path directory) throws Exception {
    Path file = directory.resolve("pool.yaml");
    Files.writeString(
        file,
        """
        api: {port: 0}
        pool:
          database:
            url: '%s'
            user: '%s'
            password: '%s'
            schema: pool
            allow-unsafe-durability: true
          secrets-directory: '%s'
        policy: {server: '%s'}
        service-key: hg_svc_hunter3
        """
            .formatted(
                POSTGRES.config().url(),
                POSTGRES.config().user(),
                POSTGRES.config().password().reveal(),
                TestSecrets.directory(),
                ISSUER.uri()));
    ResourceConfiguration applied;
    Node registered;
    long version;
    try (Running first = start(file)) {
      Client admin = first.client(ISSUER.tokens().admin("acme"));
      applied =
          admin.apply(
              "acme",
              configuration(
                  List.of(pool("acme", "onprem").build()),
                  List.of(profile("acme", "half", "1/2", "onprem").build())));
      registered =
          first
              .client(ISSUER.tokens().node("acme", "gpu-1", Map.of("pool", "onprem")))
              .nodes
              .registerNode(
                  RegisterNodeRequest.newBuilder().setNode(node("acme", "gpu-1", 4)).build());
      version = first.catalogVersion();
      assertThat(refused(() -> first.client("nonsense").provision("acme")).reason())
          .isEqualTo("TOKEN_INVALID");
      first.process().process().destroyForcibly().waitFor();
    }
    try (Running second = start(file)) {
      Client admin = second.client(ISSUER.tokens().admin("acme"));
      assertThat(
              admin.configurations.getResourceConfiguration(
                  GetResourceConfigurationRequest.newBuilder().setParent("tenants/acme").build()))
          .isEqualTo(applied);
      assertThat(
              admin.nodes.getNode(
                  GetNodeRequest.newBuilder().setName(registered.getName()).build()))
          .isEqualTo(registered);
      assertThat(second.catalogVersion()).isEqualTo(version);
      // 128 + SIGTERM, after an orderly stop.
      assertThat(second.process().stop()).isEqualTo(143);
    }
  }

  private record Running(JavaProcess process, URI uri, List<ManagedChannel> channels)
      implements AutoCloseable {
    Client client(String token) {
      ManagedChannel channel =
          Channels.open(TestChannels.patient(uri), () -> Optional.of(token), Telemetry.disabled());
      channels.add(channel);
      return new Client(channel);
    }

    long catalogVersion() throws Exception {
      var watch =
          client(ISSUER.tokens().service("scheduler"))
              .watches
              .watchCatalog(WatchCatalogRequest.getDefaultInstance());
      long version = watch.read(60, TimeUnit.SECONDS).getVersion();
      watch.cancel("seen enough", null);
      return version;
    }

    @Override
    public void close() {
      channels.forEach(ManagedChannel::shutdownNow);
      process.close();
    }
  }

  private static Running start(Path config) {
    JavaProcess process =
        JavaProcess.start(PoolServiceMain.class, List.of(config.toString()), Map.of());
    URI uri = URI.create(process.awaitSaid(SERVING).group(1));
    return new Running(process, uri, new CopyOnWriteArrayList<>());
  }
}
