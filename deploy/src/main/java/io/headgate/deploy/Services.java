package io.headgate.deploy;

import io.headgate.kit.client.ChannelConfig;
import io.headgate.kit.config.Secret;
import io.headgate.kit.db.EncryptionKeyCommands;
import io.headgate.kit.db.PostgresServer;
import io.headgate.kit.file.SecretFile;
import io.headgate.kit.grpc.ApiServer;
import io.headgate.kit.grpc.ApiServerConfig;
import io.headgate.kit.lifecycle.Lifecycle;
import io.headgate.kit.telemetry.Telemetry;
import io.headgate.kit.time.TimeSource;
import io.headgate.policy.PolicyService;
import io.headgate.policy.PolicyServiceConfig;
import io.headgate.pool.PoolService;
import io.headgate.pool.PoolServiceConfig;
import io.headgate.scheduler.SchedulerConfig;
import io.headgate.scheduler.SchedulerService;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The three services on one port of one process. They know each other only by address, as if they
/// ran apart.
final class Services {
  private static final String DATABASE = "headgate";
  private static final Logger LOG = LoggerFactory.getLogger(Services.class);

  private final PolicyService policy;
  private final SchedulerService scheduler;
  private final SchedulerProcesses processes;
  private final URI uri;
  private final Secret adminKey;

  private Services(
      PolicyService policy,
      SchedulerService scheduler,
      SchedulerProcesses processes,
      URI uri,
      Secret adminKey) {
    this.policy = policy;
    this.scheduler = scheduler;
    this.processes = processes;
    this.uri = uri;
    this.adminKey = adminKey;
  }

  static Services start(
      InstallationConfig config,
      PostgresServer postgres,
      Telemetry telemetry,
      TimeSource time,
      Lifecycle lifecycle)
      throws IOException {
    // The port is chosen here, because the services need each other's address before the server
    // starts.
    int port = config.port() == 0 ? freePort(config.host()) : config.port();
    URI uri = URI.create("http://" + config.localHost() + ":" + port);
    Path secrets = Files.createDirectories(config.data().resolve("secrets"));

    PolicyService policy =
        lifecycle.own(
            "policy-service",
            new PolicyService(
                PolicyServiceConfig.of(
                    postgres.provision(DATABASE, "policy"), ChannelConfig.of(uri), secrets),
                telemetry.part("headgate-policy"),
                time));
    Secret adminKey = adminKey(policy, new SecretFile(secrets.resolve("admin.key")), config);
    PoolService pool =
        lifecycle.own(
            "pool-service",
            PoolService.open(
                PoolServiceConfig.of(postgres.provision(DATABASE, "pool"), secrets.resolve("pool")),
                telemetry.part("headgate-pool"),
                time));
    Path keyFile = secrets.resolve("scheduler.key");
    SchedulerConfig schedulerConfig =
        schedulerConfig(config, postgres, uri, serviceKey(policy, new SecretFile(keyFile)));
    SchedulerService scheduler =
        lifecycle.own(
            "scheduler's connections",
            new SchedulerService(schedulerConfig, telemetry.part("headgate-scheduler"), time));

    ApiServer.Builder api =
        ApiServer.builder(ApiServerConfig.of(config.host(), port), telemetry)
            .authentication(policy.verifier());
    policy.register(api.part(telemetry.part("headgate-policy")));
    pool.register(api.part(telemetry.part("headgate-pool")));
    scheduler.register(api.part(telemetry.part("headgate-scheduler")));
    ApiServer server = api.build();
    lifecycle.start("api", server::start, server::close);
    policy.start();
    pool.start();
    // The scheduler stops first, because it watches the other two services through the server. It
    // closes its connections only after the server: the last answers may need them.
    lifecycle.start("scheduler-service", scheduler::start, scheduler::stop);
    server.health().set("", true);
    SchedulerProcesses processes = processes(config, schedulerConfig, uri, keyFile);
    lifecycle.start("schedulers", processes::start, processes::close);
    return new Services(policy, scheduler, processes, uri, adminKey);
  }

  private static SchedulerProcesses processes(
      InstallationConfig config, SchedulerConfig scheduler, URI uri, Path keyFile)
      throws IOException {
    return new SchedulerProcesses(
        new SchedulerProcesses.Wiring(
            config.data(),
            config.host(),
            uri,
            scheduler.database(),
            scheduler.secretsDirectory(),
            keyFile,
            config.settings(),
            config.telemetry()),
        SchedulerPorts.of(config.host(), config.port(), config.schedulers()));
  }

  /// Changes the key-encryption keys of all services as the configuration says. Nothing else uses
  /// the database meanwhile.
  static void changeKeys(InstallationConfig config, PostgresServer postgres, Progress progress) {
    if (config.keyChange() == InstallationConfig.KeyChange.NONE) {
      return;
    }
    progress.begin("encryption keys");
    Path secrets = config.data().resolve("secrets");
    for (EncryptionKeyCommands service :
        List.of(
            PolicyService.encryptionKey(postgres.provision(DATABASE, "policy"), secrets),
            PoolService.encryptionKey(
                postgres.provision(DATABASE, "pool"), secrets.resolve("pool")),
            SchedulerService.encryptionKey(
                postgres.provision(DATABASE, "scheduler"), secrets.resolve("scheduler")))) {
      String said =
          config.keyChange() == InstallationConfig.KeyChange.ROTATE
              ? service.rotate()
              : service.replace();
      LOG.warn("{}", said);
    }
    progress.ready(
        "encryption keys",
        config.keyChange() == InstallationConfig.KeyChange.ROTATE
            ? "new ones are in force; the log says what to do with the former"
            : "what lost ones sealed is given up; the log says how much");
  }

  /// The operator's key; the first start makes it and keeps it in `file`.
  private static Secret adminKey(PolicyService policy, SecretFile file, InstallationConfig config) {
    if (config.keyChange() == InstallationConfig.KeyChange.REPLACE && file.read().isEmpty()) {
      // It was lost with the other secrets.
      policy.resetAdminKey(key -> file.write(key.reveal()));
    }
    policy.ensureAdminKey(key -> file.write(key.reveal()));
    return Secret.of(
        file.read()
            .orElseThrow(
                () -> new IllegalStateException("the operator's key is missing: " + file.path())));
  }

  URI uri() {
    return uri;
  }

  Secret adminKey() {
    return adminKey;
  }

  /// The schedulers that run in processes of their own.
  SchedulerProcesses processes() {
    return processes;
  }

  /// Name of the leading scheduler; empty: none leads yet.
  Optional<String> leader() {
    return scheduler.leader();
  }

  void ensureTenant(String tenant) {
    policy.ensureTenant(tenant);
  }

  private static SchedulerConfig schedulerConfig(
      InstallationConfig config, PostgresServer postgres, URI uri, Secret serviceKey) {
    SchedulerConfig.Leading usual = SchedulerConfig.Leading.DEFAULTS;
    SchedulerConfig made =
        SchedulerConfig.of(
            postgres.provision(DATABASE, "scheduler"),
            config.data().resolve("secrets").resolve("scheduler"),
            uri.getHost() + ":" + uri.getPort(),
            ChannelConfig.of(uri),
            ChannelConfig.of(uri),
            serviceKey);
    if (config.schedulers() > 0) {
      return made.named(InstallationConfig.DOOR).asDoor();
    }
    return made.with(
        new SchedulerConfig.Leading(
            config.lease(),
            usual.heartbeat(),
            usual.suspectAfter(),
            usual.reconcileWithin(),
            usual.stopMargin()));
  }

  private static Secret serviceKey(PolicyService policy, SecretFile file) {
    Optional<String> kept = file.read();
    if (kept.isPresent()) {
      return Secret.of(kept.get());
    }
    Secret made = policy.createKey("services/scheduler", "all-in-one");
    file.write(made.reveal());
    return made;
  }

  private static int freePort(String host) throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getByName(host))) {
      return socket.getLocalPort();
    }
  }
}
