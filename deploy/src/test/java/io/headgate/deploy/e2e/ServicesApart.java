package io.headgate.deploy.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.grpc.Channel;
import io.grpc.ManagedChannel;
import io.headgate.kit.client.Channels;
import io.headgate.kit.client.TokenSource;
import io.headgate.kit.db.DatabaseConfig;
import io.headgate.kit.db.PostgresServer;
import io.headgate.kit.telemetry.Telemetry;
import io.headgate.kit.testing.PathGateway;
import io.headgate.kit.testing.TestChannels;
import io.headgate.policy.PolicyServiceMain;
import io.headgate.pool.PoolServiceMain;
import io.headgate.proto.policy.v1.CreateTenantRequest;
import io.headgate.proto.policy.v1.ExchangeKeyRequest;
import io.headgate.proto.policy.v1.Tenant;
import io.headgate.proto.policy.v1.TenantServiceGrpc;
import io.headgate.proto.policy.v1.TokenServiceGrpc;
import io.headgate.scheduler.SchedulerMain;
import io.headgate.sdk.cli.HeadgateCli;
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
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/// pool-service, policy-service and a scheduler, each in a process of its own, with a PostgreSQL
/// and a gateway that makes one address of them.
final class ServicesApart implements ChangingTenant.Services {
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
  private final List<ManagedChannel> channels = new ArrayList<>();

  private ServicesApart(Path data, Optional<Standstill> standstill)
      throws IOException, InterruptedException {
    this.data = data;
    Map<String, String> more = standstill.map(Standstill::variables).orElse(Map.of());
    Files.createDirectories(logs());
    postgres = PostgresServer.start(data.resolve("pg"), PostgresServer.Durability.FULL);
    Map<String, String> policySettings = policySettings();
    policy =
        new KeptProcess(
            standstill.isPresent() ? Standstill.PolicyService.class : PolicyServiceMain.class,
            with(policySettings, more),
            log("policy-service"));
    await().atMost(Schedulers.PATIENCE).until(() -> serves(policyUri));
    Map<String, String> poolSettings = of(poolUri, "POOL", postgres.provision(DATABASE, "pool"));
    poolSettings.put("HEADGATE_POLICY_SERVER", policyUri.toString());
    poolSettings.put("HEADGATE_SERVICE_KEY", key("services/pool", policySettings));
    pool =
        new KeptProcess(
            standstill.isPresent() ? Standstill.PoolService.class : PoolServiceMain.class,
            with(poolSettings, more),
            log("pool-service"));
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
    return new ServicesApart(data, Optional.empty());
  }

  /// With services that the test can make stand still.
  static ServicesApart start(Path data, Standstill standstill)
      throws IOException, InterruptedException {
    return new ServicesApart(data, Optional.of(standstill));
  }

  private static Map<String, String> with(Map<String, String> settings, Map<String, String> more) {
    Map<String, String> all = new HashMap<>(settings);
    all.putAll(more);
    return all;
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

  /// Kills the processes at once, and waits until their successors serve.
  void kill(List<KeptProcess> processes) {
    List<Long> dead = processes.stream().map(each -> each.handle().pid()).toList();
    processes.forEach(each -> each.handle().destroyForcibly());
    await()
        .atMost(Schedulers.PATIENCE)
        .until(() ->
            processes.stream().noneMatch(each -> dead.contains(each.handle().pid()))
                && serves(policyUri)
                && serves(poolUri)
                && serves(schedulerUri));
  }

  KeptProcess policyProcess() {
    return policy;
  }

  KeptProcess poolProcess() {
    return pool;
  }

  KeptProcess schedulerProcess() {
    return scheduler;
  }

  @Override
  public Channel policy(String token) {
    return open(policyUri, token);
  }

  @Override
  public Channel pool(String token) {
    return open(poolUri, token);
  }

  @Override
  public Channel scheduler(String token) {
    return open(schedulerUri, token);
  }

  private synchronized Channel open(URI uri, String token) {
    ManagedChannel channel = TestChannels.withoutRetries(uri, token);
    channels.add(channel);
    return channel;
  }

  /// A token of the operator, valid for minutes.
  String operatorToken() throws IOException {
    ManagedChannel anonymous =
        Channels.open(
            TestChannels.patient(policyUri), TokenSource.anonymous(), Telemetry.disabled());
    channels.add(anonymous);
    return TokenServiceGrpc.newBlockingStub(anonymous)
        .exchangeKey(
            ExchangeKeyRequest.newBuilder().setKey(Files.readString(adminKey()).strip()).build())
        .getToken();
  }

  void createTenant(String token, String id) {
    TenantServiceGrpc.newBlockingStub(policy(token))
        .createTenant(
            CreateTenantRequest.newBuilder()
                .setTenantId(id)
                .setTenant(Tenant.getDefaultInstance())
                .build());
  }

  int postgresPort() {
    return postgres.port();
  }

  Path logs() {
    return data.resolve("logs");
  }

  /// The `headgate` command of the operator.
  LiveCli cli() throws IOException {
    return LiveCli.of(uri(), Files.readString(adminKey()).strip());
  }

  /// The same in a process of its own.
  ///
  /// @param log of its output
  Process command(Path log, String... words) throws IOException {
    Map<String, String> environment =
        Map.of(
            "HEADGATE_SERVER",
            uri().toString(),
            "HEADGATE_KEY",
            Files.readString(adminKey()).strip(),
            "HOME",
            "/nonexistent");
    return KeptProcess.builder(HeadgateCli.class, environment, List.of(words))
        .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()))
        .start();
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
    channels.forEach(ManagedChannel::shutdownNow);
    gateway.close();
    scheduler.end();
    pool.end();
    policy.end();
    postgres.close();
  }
}
