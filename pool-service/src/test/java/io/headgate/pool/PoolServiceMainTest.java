package io.headgate.pool;

import static io.headgate.pool.Client.configuration;
import static io.headgate.pool.Client.node;
import static io.headgate.pool.Client.pool;
import static io.headgate.pool.Client.profile;
import static io.headgate.pool.Client.refused;
import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.ManagedChannel;
import io.grpc.stub.StreamObserver;
import io.headgate.kit.client.ChannelConfig;
import io.headgate.kit.client.Channels;
import io.headgate.kit.telemetry.Telemetry;
import io.headgate.kit.testing.ApiServerExtension;
import io.headgate.kit.testing.PostgresFixture;
import io.headgate.proto.policy.v1.GetVerificationKeysRequest;
import io.headgate.proto.policy.v1.GetVerificationKeysResponse;
import io.headgate.proto.policy.v1.TokenServiceGrpc;
import io.headgate.proto.pool.v1.GetNodeRequest;
import io.headgate.proto.pool.v1.GetResourceConfigurationRequest;
import io.headgate.proto.pool.v1.Node;
import io.headgate.proto.pool.v1.RegisterNodeRequest;
import io.headgate.proto.pool.v1.ResourceConfiguration;
import io.headgate.proto.pool.v1.WatchCatalogRequest;
import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

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

  private final ByteArrayOutputStream shown = new ByteArrayOutputStream();

  @Test
  void explainsItself() throws Exception {
    assertThat(run(List.of("--help"), Map.of())).isEqualTo(PoolServiceMain.EXIT_STOPPED);
    assertThat(shown.toString()).contains("usage: pool-service [CONFIG_FILE]");
    assertThat(run(List.of("--serve"), Map.of())).isEqualTo(PoolServiceMain.EXIT_USAGE);
    assertThat(run(List.of("a", "b"), Map.of())).isEqualTo(PoolServiceMain.EXIT_USAGE);
  }

  @Test
  void namesEveryWrongKey(@TempDir Path directory) throws Exception {
    Path file = directory.resolve("pool.yaml");
    Files.writeString(
        file,
        """
        pool:
          database: {url: 'jdbc:mysql://x', user: pool, password: secret, schema: pool}
          catalog-logs: 3
        policy: {server: 'http://127.0.0.1:1'}
        """);
    assertThat(run(List.of(file.toString()), Map.of())).isEqualTo(PoolServiceMain.EXIT_USAGE);
    assertThat(shown.toString()).contains("jdbc:mysql://x").contains("catalog-logs");
    assertThat(run(List.of(directory.resolve("absent.yaml").toString()), Map.of()))
        .isEqualTo(PoolServiceMain.EXIT_USAGE);
    assertThat(shown.toString()).contains("there is no such file");
  }

  @Test
  void saysThatTheDatabaseCannotBeReached() throws Exception {
    int status =
        run(
            List.of(),
            Map.of(
                "HEADGATE_POOL_DATABASE_URL", "jdbc:postgresql://127.0.0.1:1/headgate",
                "HEADGATE_POOL_DATABASE_USER", "pool",
                "HEADGATE_POOL_DATABASE_PASSWORD", "hunter2",
                "HEADGATE_POOL_DATABASE_SCHEMA", "pool",
                "HEADGATE_POOL_DATABASE_CONNECT_TIMEOUT", "1s",
                "HEADGATE_POLICY_SERVER", "http://127.0.0.1:1"));
    assertThat(status).isEqualTo(PoolServiceMain.EXIT_NOT_STARTED);
    assertThat(shown.toString())
        .contains("cannot connect to jdbc:postgresql://127.0.0.1:1/headgate as pool")
        .contains("pool.database.url")
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
        policy: {server: '%s'}
        """
            .formatted(
                POSTGRES.config().url(),
                POSTGRES.config().user(),
                POSTGRES.config().password().reveal(),
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
      first.process().destroyForcibly().waitFor();
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
      second.process().destroy();
      assertThat(second.process().waitFor(30, TimeUnit.SECONDS)).isTrue();
      // 128 + SIGTERM, after an orderly stop.
      assertThat(second.process().exitValue()).isEqualTo(143);
    }
  }

  private record Running(Process process, URI uri, List<ManagedChannel> channels)
      implements AutoCloseable {
    Client client(String token) {
      ManagedChannel channel =
          Channels.open(ChannelConfig.of(uri), () -> Optional.of(token), Telemetry.disabled());
      channels.add(channel);
      return new Client(channel);
    }

    long catalogVersion() throws Exception {
      var watch =
          client(ISSUER.tokens().service("scheduler"))
              .watches
              .watchCatalog(WatchCatalogRequest.getDefaultInstance());
      long version = watch.read(20, TimeUnit.SECONDS).getVersion();
      watch.cancel("seen enough", null);
      return version;
    }

    @Override
    public void close() {
      channels.forEach(ManagedChannel::shutdownNow);
      process.destroyForcibly();
    }
  }

  private static Running start(Path config) throws IOException {
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED",
                "--sun-misc-unsafe-memory-access=allow",
                "-XX:TieredStopAtLevel=1",
                "-Xmx512m",
                "-classpath",
                System.getProperty("java.class.path"),
                PoolServiceMain.class.getName(),
                config.toString())
            .redirectErrorStream(true)
            .start();
    StringBuilder log = new StringBuilder();
    BufferedReader lines = process.inputReader(StandardCharsets.UTF_8);
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      log.append(line).append('\n');
      Matcher serving = SERVING.matcher(line);
      if (serving.find()) {
        Thread.ofVirtual().start(() -> lines.lines().forEach(_ -> {}));
        return new Running(
            process,
            URI.create(serving.group(1)),
            new java.util.concurrent.CopyOnWriteArrayList<>());
      }
    }
    throw new AssertionError("did not start:\n" + log);
  }

  private int run(List<String> arguments, Map<String, String> environment) throws Exception {
    return PoolServiceMain.run(
        arguments, environment, new PrintStream(shown, true, StandardCharsets.UTF_8));
  }
}
