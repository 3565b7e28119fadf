package io.headgate.deploy.e2e;

import static org.awaitility.Awaitility.await;

import io.headgate.agent.AgentMain;
import io.headgate.kit.testing.TestJvm;
import io.headgate.sdk.client.HeadgateClient;
import io.headgate.sdk.model.Usage;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.function.Function;
import java.util.stream.Collectors;

/// Agents as processes of this machine, each with a data directory of its own. An agent that ends
/// is started again on its directory, as a service manager would do.
final class AgentProcesses {
  private final URI services;
  private final List<URI> schedulers;
  private final Path directory;
  private final List<Path> shared;
  private final Function<String, Map<String, String>> environment;
  private final Map<String, Process> processes = new ConcurrentSkipListMap<>();
  private volatile boolean closed;

  /// @param services address of policy-service and pool-service
  /// @param shared directories that jobs see at their usual paths
  /// @param environment additional variables for the agent of a node
  AgentProcesses(
      URI services,
      List<URI> schedulers,
      Path directory,
      List<Path> shared,
      Function<String, Map<String, String>> environment) {
    this.environment = environment;
    this.shared = List.copyOf(shared);
    this.services = services;
    this.schedulers = List.copyOf(schedulers);
    this.directory = directory;
  }

  /// Starts an agent that joins the pool, and waits until the leader hears from it.
  void add(HeadgateClient operator, String node, String pool, String gpus) throws IOException {
    Path data = Files.createDirectories(directory.resolve(node));
    Files.writeString(
        data.resolve("join"), operator.createJoinToken(TestInstallation.TENANT, pool, 1));
    start(node, gpus);
    awaitConnected(operator, node);
  }

  static void awaitConnected(HeadgateClient operator, String node) {
    await()
        .atMost(Schedulers.PATIENCE)
        .ignoreExceptions()
        .until(() ->
            operator.catalog(TestInstallation.TENANT).nodeUsages().stream()
                .anyMatch(usage ->
                    usage.id().equals(node) && usage.contact() == Usage.Contact.CONNECTED));
  }

  private void start(String node, String gpus) throws IOException {
    Path data = directory.resolve(node);
    List<String> command = TestJvm.command();
    command.addAll(
        List.of(
            "-Xmx256m",
            "-cp",
            System.getProperty("java.class.path"),
            AgentMain.class.getName(),
            "--data",
            data.toString(),
            "--node",
            node,
            "--server",
            services.toString(),
            "--join-token-file",
            data.resolve("join").toString(),
            "--simulate-gpus",
            gpus,
            "--checkpoints",
            directory.resolve("checkpoints").toString()));
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.environment().keySet().removeIf(name -> name.startsWith("HEADGATE_"));
    builder
        .environment()
        .put(
            "HEADGATE_AGENT_ENDPOINTS_SCHEDULERS",
            schedulers.stream().map(URI::toString).collect(Collectors.joining(",")));
    builder
        .environment()
        .put(
            "HEADGATE_AGENT_WALLS_SHARED",
            shared.stream().map(Path::toString).collect(Collectors.joining(",")));
    builder.environment().putAll(environment.apply(node));
    builder.redirectOutput(
        ProcessBuilder.Redirect.appendTo(directory.resolve(node + ".log").toFile()));
    Process process = builder.start();
    processes.put(node, process);
    var _ = process.onExit().thenAccept(_ -> startAgain(node, gpus));
  }

  private synchronized void startAgain(String node, String gpus) {
    if (!closed) {
      try {
        start(node, gpus);
      } catch (IOException e) {
        throw new AssertionError(e);
      }
    }
  }

  List<String> nodes() {
    return List.copyOf(processes.keySet());
  }

  /// The agent's current process; it may just have ended.
  ProcessHandle process(String node) {
    return processes.get(node).toHandle();
  }

  /// Kills all agents; none is started again.
  void end() throws InterruptedException {
    synchronized (this) {
      closed = true;
    }
    for (Process process : processes.values()) {
      process.destroyForcibly().waitFor();
    }
  }
}
