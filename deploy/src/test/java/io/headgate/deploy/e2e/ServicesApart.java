package io.headgate.deploy.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.headgate.kit.db.DatabaseConfig;
import io.headgate.kit.db.PostgresServer;
import io.headgate.kit.testing.PathGateway;
import io.headgate.policy.PolicyServiceMain;
import io.headgate.pool.PoolServiceMain;
import io.headgate.scheduler.SchedulerMain;
import io.headgate.sdk.client.HeadgateClient;
import io.headgate.sdk.model.ClientConfig;
import io.headgate.sdk.model.Credentials;
import io.headgate.sdk.model.ServerAddress;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/// pool-service, policy-service and a scheduler, each in a process of its own, with a PostgreSQL
/// and a gateway that makes one address of them.
final class ServicesApart {
  private static final String DATABASE = "headgate";

  private final Path data;
  private final PostgresServer postgres;
  private final URI policyUri = freeAddress();
  private final URI poolUri = freeAddress();
  private final URI schedulerUri = freeAddress();
  private final KeptProcess policy;
  private final KeptProcess pool;
  private final KeptProcess scheduler;
  private final PathGateway gateway;

  private ServicesApart(Path data) throws IOException, InterruptedException {
    this.data = data;
    Files.createDirectories(logs());
    postgres = PostgresServer.start(data.resolve("pg"), PostgresServer.Durability.FULL);
    Map<String, String> policySettings = policySettings();
    policy = new KeptProcess(PolicyServiceMain.class, policySettings, log("policy-service"));
    await().atMost(Schedulers.PATIENCE).until(() -> serves(policyUri));
    Map<String, String> poolSettings = of(poolUri, "POOL", postgres.provision(DATABASE, "pool"));
    poolSettings.put("HEADGATE_POLICY_SERVER", policyUri.toString());
    poolSettings.put("HEADGATE_SERVICE_KEY", key("services/pool", policySettings));
    pool = new KeptProcess(PoolServiceMain.class, poolSettings, log("pool-service"));
    Map<String, String> settings =
        of(schedulerUri, "SCHEDULER", postgres.provision(DATABASE, "scheduler"));
    settings.put("HEADGATE_SCHEDULER_REPLICA", "scheduler-1");
    settings.put("HEADGATE_SCHEDULER_ADVERTISED_ADDRESS", schedulerUri.getAuthority());
    settings.put("HEADGATE_SCHEDULER_POOLS_SERVER", poolUri.toString());
    settings.put("HEADGATE_SCHEDULER_POLICIES_SERVER", policyUri.toString());
    settings.put("HEADGATE_SCHEDULER_SERVICE_KEY", key("services/scheduler", policySettings));
    scheduler = new KeptProcess(SchedulerMain.class, settings, log("scheduler"));
    gateway =
        PathGateway.open(
            Map.of(
                "headgate.policy.v1", policyUri,
                "headgate.pool.v1", poolUri,
                "headgate.scheduler.v1", schedulerUri,
                "headgate.agent.v1", schedulerUri));
    await().atMost(Schedulers.PATIENCE).until(() -> serves(poolUri) && serves(schedulerUri));
  }

  static ServicesApart start(Path data) throws IOException, InterruptedException {
    return new ServicesApart(data);
  }

  /// The one address of all of them.
  URI uri() {
    return gateway.uri();
  }

  URI schedulerUri() {
    return schedulerUri;
  }

  ProcessHandle policy() {
    return policy.handle();
  }

  ProcessHandle pool() {
    return pool.handle();
  }

  int postgresPort() {
    return postgres.port();
  }

  Path logs() {
    return data.resolve("logs");
  }

  /// A client with an operator's rights that does not give up while a process is away.
  HeadgateClient operator() throws IOException {
    return HeadgateClient.connect(
        ClientConfig.of(
                ServerAddress.parse(uri().toString()),
                new Credentials.Key(Files.readString(adminKey()).strip()))
            .withDeadline(Schedulers.PATIENCE)
            .withPatience(Schedulers.PATIENCE)
            .withResumeFor(Schedulers.PATIENCE));
  }

  private Map<String, String> policySettings() {
    Map<String, String> settings = of(policyUri, "POLICY", postgres.provision(DATABASE, "policy"));
    settings.put("HEADGATE_ADMIN_KEY_FILE", adminKey().toString());
    settings.put("HEADGATE_POLICY_DEFAULT_TENANT", TestInstallation.TENANT);
    settings.put("HEADGATE_POLICY_POOLS_SERVER", poolUri.toString());
    return settings;
  }

  private Path adminKey() {
    return data.resolve("admin.key");
  }

  private Path log(String name) {
    return logs().resolve(name + ".log");
  }

  private Path secrets(String service) {
    return data.resolve("secrets").resolve(service.toLowerCase(Locale.ROOT));
  }

  private Map<String, String> of(URI uri, String service, DatabaseConfig database) {
    Map<String, String> settings = new HashMap<>();
    settings.put("HEADGATE_API_PORT", Integer.toString(uri.getPort()));
    settings.put("HEADGATE_" + service + "_SECRETS_DIRECTORY", secrets(service).toString());
    String prefix = "HEADGATE_" + service + "_DATABASE_";
    settings.put(prefix + "URL", database.url());
    settings.put(prefix + "USER", database.user());
    settings.put(prefix + "PASSWORD", database.password().reveal());
    settings.put(prefix + "SCHEMA", database.schema());
    database
        .owner()
        .ifPresent(owner -> {
          settings.put(prefix + "OWNER_USER", owner.user());
          settings.put(prefix + "OWNER_PASSWORD", owner.password().reveal());
        });
    return settings;
  }

  /// A key that policy-service's command makes, as its operator would.
  private static String key(String owner, Map<String, String> policySettings)
      throws IOException, InterruptedException {
    Process command =
        KeptProcess.builder(PolicyServiceMain.class, policySettings, List.of("--create-key", owner))
            .start();
    List<String> lines =
        new String(command.getInputStream().readAllBytes(), StandardCharsets.UTF_8)
            .lines()
            .toList();
    assertThat(command.waitFor()).as(() -> String.join("\n", lines)).isZero();
    return lines.getLast().strip();
  }

  private static boolean serves(URI uri) {
    try (Socket socket = new Socket(uri.getHost(), uri.getPort())) {
      return socket.isConnected();
    } catch (IOException _) {
      return false;
    }
  }

  private static URI freeAddress() {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return URI.create("http://127.0.0.1:" + socket.getLocalPort());
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  /// Ends all processes.
  void end() throws InterruptedException {
    gateway.close();
    scheduler.end();
    pool.end();
    policy.end();
    postgres.close();
  }
}
