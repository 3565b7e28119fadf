package io.headgate.deploy;

import io.headgate.kit.client.ChannelConfig;
import io.headgate.kit.config.Secret;
import io.headgate.kit.db.PostgresServer;
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
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/// The three services on one port of one process. They know each other only by address, as if they
/// ran apart.
final class Services {
  private static final String DATABASE = "headgate";

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
                telemetry,
                time));
    Secret adminKey = adminKey(policy, secrets.resolve("admin.key"));
    PoolService pool =
        lifecycle.own(
            "pool-service",
            PoolService.open(
                PoolServiceConfig.of(postgres.provision(DATABASE, "pool")), telemetry, time));
    Path keyFile = secrets.resolve("scheduler.key");
    SchedulerConfig schedulerConfig =
        schedulerConfig(config, postgres, uri, serviceKey(policy, new SecretFile(keyFile)));
    SchedulerService scheduler =
        lifecycle.own(
            "scheduler's connections", new SchedulerService(schedulerConfig, telemetry, time));

    ApiServer.Builder api =
        ApiServer.builder(ApiServerConfig.of(config.host(), port), telemetry)
            .authentication(policy.verifier());
    policy.register(api);
    pool.register(api);
    scheduler.register(api);
    ApiServer server = api.build();
    lifecycle.start("api", server::start, server::close);
    policy.start();
    pool.start();
    // The scheduler stops first, because it watches the other two services through the server. It
    // closes its connections only after the server: the last answers may need them.
    lifecycle.start("scheduler-service", scheduler::start, scheduler::stop);
    server.health().set("", true);
    SchedulerProcesses processes =
        new SchedulerProcesses(
            new SchedulerProcesses.Wiring(
                config.data(),
                config.host(),
                uri,
                schedulerConfig.database(),
                keyFile,
                config.settings(),
                config.telemetry()),
            SchedulerPorts.of(config.host(), config.port(), config.schedulers()));
    lifecycle.start("schedulers", processes::start, processes::close);
    return new Services(policy, scheduler, processes, uri, adminKey);
  }

  /// The operator's key; the first start makes it and keeps it in `file`.
  private static Secret adminKey(PolicyService policy, Path file) throws IOException {
    SecretFile kept = new SecretFile(file);
    policy.ensureAdminKey(key -> keep(kept, key));
    return Secret.of(
        kept.read()
            .orElseThrow(
                () -> new IllegalStateException("the operator's key is missing: " + file)));
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
            uri.getHost() + ":" + uri.getPort(),
            ChannelConfig.of(uri),
            ChannelConfig.of(uri),
            serviceKey);
    if (config.schedulers() > 0) {
      return made.named("door").asDoor();
    }
    return made.with(
        new SchedulerConfig.Leading(
            config.lease(),
            usual.heartbeat(),
            usual.suspectAfter(),
            usual.reconcileWithin(),
            usual.stopMargin()));
  }

  private static Secret serviceKey(PolicyService policy, SecretFile file) throws IOException {
    Optional<String> kept = file.read();
    if (kept.isPresent()) {
      return Secret.of(kept.get());
    }
    Secret made = policy.createKey("services/scheduler", "all-in-one");
    keep(file, made);
    return made;
  }

  private static void keep(SecretFile file, Secret secret) {
    try {
      file.write(secret.reveal());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static int freePort(String host) throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getByName(host))) {
      return socket.getLocalPort();
    }
  }
}
