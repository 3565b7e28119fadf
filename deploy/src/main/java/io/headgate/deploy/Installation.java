package io.headgate.deploy;

import io.headgate.agent.AgentConfig;
import io.headgate.agent.GpuConfig;
import io.headgate.agent.NodeAgent;
import io.headgate.agent.WallsConfig;
import io.headgate.agent.core.DeviceInfo;
import io.headgate.deploy.node.NodePlan;
import io.headgate.kit.config.Secret;
import io.headgate.kit.db.PostgresServer;
import io.headgate.kit.lifecycle.Lifecycle;
import io.headgate.kit.telemetry.Telemetry;
import io.headgate.kit.time.TimeSource;
import io.headgate.sdk.client.HeadgateClient;
import io.headgate.sdk.model.ClientConfig;
import io.headgate.sdk.model.Credentials;
import io.headgate.sdk.model.ServerAddress;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/// A whole installation in one process: PostgreSQL, the three services on one port, and agents.
///
/// Its files lie under its data directory and survive it: `pg` (the database), `secrets` (keys,
/// each readable by its owner only), `agents` (one directory each), `checkpoints` (shared by the
/// agents, because a job may resume on another node). Closing the installation stops every job with
/// its callback. After a `kill -9` the next start adopts the jobs that still run.
public final class Installation implements AutoCloseable {
  // Longer than the longest abort callback of a job and its grace period together.
  private static final Duration STOP_BOUND = Duration.ofMinutes(42);
  private static final Duration LEADER_PATIENCE = Duration.ofMinutes(3);
  private static final Duration AGENT_PATIENCE = Duration.ofMinutes(41);

  private final InstallationConfig config;
  private final Lifecycle lifecycle;
  private final Telemetry telemetry;
  private final PostgresServer postgres;
  private final Services services;
  private final KnownNodes knownNodes;
  private final List<NodeAgent> agents = new CopyOnWriteArrayList<>();

  /// The agent that has this machine's GPUs.
  private final AtomicReference<@Nullable NodeAgent> local = new AtomicReference<>();

  private Installation(
      InstallationConfig config,
      Lifecycle lifecycle,
      Telemetry telemetry,
      PostgresServer postgres,
      Services services) {
    this.config = config;
    this.lifecycle = lifecycle;
    this.telemetry = telemetry;
    this.postgres = postgres;
    this.services = services;
    this.knownNodes = new KnownNodes(config.data());
  }

  /// Starts the database and the services; no agent yet.
  ///
  /// @param lifecycle stops everything in reverse order when it is closed
  /// @param progress told of each part that is ready
  public static Installation start(
      InstallationConfig config, Lifecycle lifecycle, Progress progress) throws IOException {
    Files.createDirectories(config.data());
    TimeSource time = TimeSource.system();
    Telemetry telemetry =
        lifecycle.own(
            "telemetry", Telemetry.start(config.telemetry(), "headgate-up", Version.TEXT));
    progress.begin("postgres");
    PostgresServer postgres =
        lifecycle.own(
            "postgres",
            PostgresServer.start(config.data().resolve("pg"), PostgresServer.Durability.FULL)
                .restartWhenItDies());
    progress.ready("postgres", config.data().resolve("pg") + " (durable)");
    Services.changeKeys(config, postgres, progress);
    progress.begin("services");
    Services services = Services.start(config, postgres, telemetry, time, lifecycle);
    progress.ready("services", "pool, policy, scheduler on one port");
    awaitLeader(services, config.schedulers(), progress);
    Installation installation = new Installation(config, lifecycle, telemetry, postgres, services);
    lifecycle.start("agents", () -> {}, installation::stopAgents);
    return installation;
  }

  private static void awaitLeader(Services services, int schedulers, Progress progress)
      throws IOException {
    if (schedulers == 0) {
      return;
    }
    progress.begin("schedulers");
    long deadlineNanos = System.nanoTime() + LEADER_PATIENCE.toNanos();
    try {
      while (services.leader().isEmpty() && System.nanoTime() < deadlineNanos) {
        TimeUnit.MILLISECONDS.sleep(20);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted while the schedulers started", e);
    }
    progress.ready(
        "schedulers",
        "%d processes, %s leads; each serves calls: %s"
            .formatted(
                schedulers,
                services.leader().map(name -> named(name, services)).orElse("none yet"),
                String.join(
                    " ", services.processes().uris().stream().map(URI::getAuthority).toList())));
  }

  /// `scheduler-3 (process 4711)`. A user kills this process to see another scheduler take over.
  private static String named(String name, Services services) {
    ProcessHandle process = services.processes().handles().get(name);
    return process == null ? name : name + " (process " + process.pid() + ")";
  }

  /// The processes of the schedulers that run beside this one, by name.
  public Map<String, ProcessHandle> schedulers() {
    return services.processes().handles();
  }

  /// API addresses of the scheduler processes that already serve.
  public List<URI> schedulerUris() {
    return services.processes().uris();
  }

  /// The address of the API.
  public URI uri() {
    return services.uri();
  }

  /// The addresses that Prometheus scrapes, each with the parts that it covers. Empty when no
  /// metrics are exposed.
  public Map<String, URI> metricsUris() {
    Map<String, URI> uris = new LinkedHashMap<>();
    telemetry
        .scrapeEndpoint()
        .ifPresent(own -> {
          Map<String, URI> schedulers = services.processes().metricsUris();
          uris.put(schedulers.isEmpty() ? "all parts" : "all but the schedulers", own);
          uris.putAll(schedulers);
        });
    return uris;
  }

  /// The port of the database.
  public int postgresPort() {
    return postgres.port();
  }

  /// The operator's key.
  public Secret adminKey() {
    return services.adminKey();
  }

  /// A connection as the operator; the caller closes it.
  public HeadgateClient connectAsOperator() {
    return connect(services.adminKey().reveal());
  }

  /// How a client connects as the operator.
  ClientConfig operatorConfig() {
    return clientConfig(services.adminKey().reveal());
  }

  /// A connection with a key; the caller closes it.
  public HeadgateClient connect(String key) {
    return HeadgateClient.connect(clientConfig(key));
  }

  private ClientConfig clientConfig(String key) {
    return ClientConfig.of(ServerAddress.parse(uri().toString()), new Credentials.Key(key));
  }

  /// Creates the tenant unless it exists.
  public void ensureTenant(String tenant) {
    services.ensureTenant(tenant);
  }

  /// Starts the agents that this data directory has kept from earlier runs.
  public void startKnownNodes() throws IOException {
    for (KnownNodes.Entry entry : knownNodes.read()) {
      startAgent(entry, Optional.empty());
    }
  }

  /// Sets the devices of a known node to those of the plan, from its next start on.
  void changeNode(String tenant, NodePlan plan) throws IOException {
    knownNodes.change(new KnownNodes.Entry(tenant, plan));
  }

  /// The nodes of a tenant that this data directory knows.
  List<NodePlan> knownNodes(String tenant) throws IOException {
    return knownNodes.read().stream()
        .filter(entry -> entry.tenant().equals(tenant))
        .map(KnownNodes.Entry::plan)
        .toList();
  }

  /// The node that has this machine's GPUs.
  Optional<KnownNodes.Entry> localNode() throws IOException {
    return knownNodes.read().stream().filter(entry -> entry.plan().isLocal()).findFirst();
  }

  /// The GPUs of this machine that an agent of this process gives to jobs; empty: no agent has
  /// them.
  Optional<List<DeviceInfo>> localGpus() {
    return Optional.ofNullable(local.get()).map(NodeAgent::devices);
  }

  /// Starts one more agent, which joins the pool of its plan. A known agent is not started again.
  public void addNode(String tenant, NodePlan plan) throws IOException {
    KnownNodes.Entry entry = new KnownNodes.Entry(tenant, plan);
    if (knownNodes.has(entry)) {
      return;
    }
    String joinToken;
    try (HeadgateClient operator = connectAsOperator()) {
      joinToken = operator.createJoinToken(tenant, plan.pool(), 1);
    }
    startAgent(entry, Optional.of(Secret.of(joinToken)));
    knownNodes.add(entry);
  }

  /// The agents that run in this process.
  public List<NodeAgent> agents() {
    return List.copyOf(agents);
  }

  /// Whether any agent simulates its GPUs.
  boolean simulatesGpus() throws IOException {
    return knownNodes.read().stream().anyMatch(entry -> entry.plan().isSimulated());
  }

  /// Waits until every agent has joined and is connected, at most for the given time.
  ///
  /// @return number of connected agents
  public int awaitAgents(Duration patience) throws InterruptedException {
    long deadlineNanos = System.nanoTime() + patience.toNanos();
    int connected = connectedAgents();
    while (connected < agents.size() && System.nanoTime() < deadlineNanos) {
      TimeUnit.MILLISECONDS.sleep(20);
      connected = connectedAgents();
    }
    return connected;
  }

  private int connectedAgents() {
    return (int) agents.stream().filter(NodeAgent::isReady).count();
  }

  private void startAgent(KnownNodes.Entry entry, Optional<Secret> joinToken) throws IOException {
    NodePlan plan = entry.plan();
    Path directory = config.data().resolve("agents").resolve(entry.tenant()).resolve(plan.id());
    Files.createDirectories(directory);
    AgentConfig agentConfig =
        AgentConfig.of(directory, plan.id(), uri())
            .withCheckpoints(config.data().resolve("checkpoints"))
            .withWalls(WallsConfig.DEFAULTS.withShared(config.shared()))
            .withSchedulers(services.processes().uris())
            .withExportedOutput(config.exportedOutput());
    if (plan.isLocal()) {
      agentConfig = agentConfig.withGpus(GpuConfig.DEFAULTS);
    } else if (plan.isSimulated()) {
      agentConfig = agentConfig.withSimulatedGpus(plan.gpus());
    }
    if (joinToken.isPresent()) {
      agentConfig = agentConfig.withJoinToken(joinToken.get());
    }
    NodeAgent agent =
        new NodeAgent(agentConfig, telemetry.part("headgate-agent"), TimeSource.system());
    agent.start();
    agents.add(agent);
    if (plan.isLocal()) {
      local.set(agent);
    }
  }

  // Stops all agents at once, so that no agent starts a job that another one has just stopped.
  private void stopAgents() throws InterruptedException {
    List<Thread> stopping = new ArrayList<>();
    for (NodeAgent agent : agents) {
      stopping.add(
          Thread.ofVirtual()
              .name("stop-agent")
              .start(() -> agent.stopJobsAndClose(AGENT_PATIENCE)));
    }
    for (Thread each : stopping) {
      each.join();
    }
  }

  /// How long one part may take to stop.
  public static Duration stopBound() {
    return STOP_BOUND;
  }

  @Override
  public void close() {
    lifecycle.close();
  }
}
