package io.headgate.deploy;

import io.headgate.kit.db.DatabaseConfig;
import io.headgate.kit.file.SecretFile;
import io.headgate.kit.telemetry.TelemetryConfig;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Schedulers as processes of this machine, one of which leads. A process that ends is started
/// again, as a service manager would do. Each logs to `schedulers/NAME.log` of the data directory.
/// Thread-safe.
final class SchedulerProcesses implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(SchedulerProcesses.class);

  private static final Duration AGAIN = Duration.ofSeconds(1);
  private static final long STOP_SECONDS = 40;

  private final Wiring wiring;
  private final List<SchedulerPorts> ports;
  private final SortedMap<String, Process> processes = new TreeMap<>(); // Guarded by this.
  private boolean closed; // Guarded by this.
  private final ScheduledExecutorService starter =
      Executors.newSingleThreadScheduledExecutor(
          Thread.ofPlatform().name("scheduler-starter").daemon().factory());

  /// The settings that all scheduler processes share.
  ///
  /// @param services address of policy-service and pool-service
  /// @param secrets directory of the key-encryption key
  /// @param serviceKey the file with the key
  /// @param settings changes the settings of a process at each of its starts
  record Wiring(
      Path data,
      String host,
      URI services,
      DatabaseConfig database,
      Path secrets,
      Path serviceKey,
      UnaryOperator<Map<String, String>> settings,
      TelemetryConfig telemetry) {}

  SchedulerProcesses(Wiring wiring, List<SchedulerPorts> ports) {
    this.wiring = wiring;
    this.ports = List.copyOf(ports);
  }

  void start() throws IOException {
    Files.createDirectories(wiring.data().resolve("schedulers"));
    new SecretFile(databasePassword()).write(wiring.database().password().reveal());
    for (int i = 0; i < ports.size(); i++) {
      start(i);
    }
  }

  /// Their API addresses.
  List<URI> uris() {
    return ports.stream()
        .map(each -> URI.create("http://" + wiring.host() + ":" + each.api()))
        .toList();
  }

  /// The address that Prometheus scrapes of each scheduler, by name. The leader has the series of
  /// the decisions.
  Map<String, URI> metricsUris() {
    Map<String, URI> uris = new LinkedHashMap<>();
    for (int i = 0; i < ports.size(); i++) {
      uris.put(
          name(i),
          URI.create("http://" + wiring.host() + ":" + ports.get(i).metrics() + "/metrics"));
    }
    return uris;
  }

  /// The process of each scheduler, by name; one may have ended.
  synchronized Map<String, ProcessHandle> handles() {
    Map<String, ProcessHandle> handles = new LinkedHashMap<>();
    processes.forEach((name, process) -> handles.put(name, process.toHandle()));
    return handles;
  }

  private synchronized void start(int index) throws IOException {
    if (closed) {
      return;
    }
    ProcessBuilder builder = new ProcessBuilder(command()).redirectErrorStream(true);
    builder.environment().keySet().removeIf(variable -> variable.startsWith("HEADGATE_"));
    builder.environment().putAll(wiring.settings().apply(environment(index)));
    builder.redirectOutput(
        ProcessBuilder.Redirect.appendTo(
            wiring.data().resolve("schedulers").resolve(name(index) + ".log").toFile()));
    Process process = builder.start();
    processes.put(name(index), process);
    var _ = process.onExit().thenAccept(ended -> ended(index, ended.exitValue()));
  }

  private synchronized void ended(int index, int status) {
    if (!closed) {
      LOG.warn("{} ended with status {}; it is started again", name(index), status);
      var _ = starter.schedule(() -> startAgain(index), AGAIN.toMillis(), TimeUnit.MILLISECONDS);
    }
  }

  private void startAgain(int index) {
    try {
      start(index);
    } catch (IOException e) {
      LOG.error("{} cannot be started again", name(index), e);
    }
  }

  private static List<String> command() {
    // Ctrl-C reaches all processes of the terminal. Schedulers ignore it: their parent needs them
    // until it stops them itself.
    List<String> command = new ArrayList<>(List.of("sh", "-c", "trap '' INT; exec \"$0\" \"$@\""));
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(
        List.of(
            "--enable-native-access=ALL-UNNAMED",
            "--sun-misc-unsafe-memory-access=allow",
            "-XX:+ExitOnOutOfMemoryError",
            "-XX:+UseSerialGC",
            "-Xmx1g"));
    // The class archive that makes this process quick to start serves its children as well.
    ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
        .filter(flag -> flag.startsWith("-XX:SharedArchiveFile=") || flag.startsWith("-Xlog:"))
        .forEach(command::add);
    command.addAll(
        List.of("-cp", System.getProperty("java.class.path"), AttachedScheduler.class.getName()));
    return command;
  }

  private Map<String, String> environment(int index) {
    SchedulerPorts own = ports.get(index);
    DatabaseConfig database = wiring.database();
    Map<String, String> variables = new LinkedHashMap<>();
    variables.put("HEADGATE_API_HOST", wiring.host());
    variables.put("HEADGATE_API_PORT", Integer.toString(own.api()));
    variables.put("HEADGATE_SCHEDULER_DATABASE_URL", database.url());
    variables.put("HEADGATE_SCHEDULER_DATABASE_USER", database.user());
    variables.put("HEADGATE_SCHEDULER_DATABASE_SCHEMA", database.schema());
    variables.put("HEADGATE_SCHEDULER_DATABASE_PASSWORD_FILE", databasePassword().toString());
    variables.put(
        "HEADGATE_SCHEDULER_DATABASE_ALLOW_UNSAFE_DURABILITY",
        Boolean.toString(database.allowUnsafeDurability()));
    variables.put("HEADGATE_SCHEDULER_SECRETS_DIRECTORY", wiring.secrets().toString());
    variables.put("HEADGATE_SCHEDULER_REPLICA", name(index));
    variables.put("HEADGATE_SCHEDULER_ADVERTISED_ADDRESS", wiring.host() + ":" + own.api());
    variables.put("HEADGATE_SCHEDULER_POOLS_SERVER", wiring.services().toString());
    variables.put("HEADGATE_SCHEDULER_POLICIES_SERVER", wiring.services().toString());
    variables.put("HEADGATE_SCHEDULER_SERVICE_KEY_FILE", wiring.serviceKey().toString());
    variables.put("HEADGATE_SCHEDULER_GROUP_ADDRESS", wiring.host() + ":" + own.group());
    variables.put(
        "HEADGATE_SCHEDULER_GROUP_MEMBERS",
        String.join(",", ports.stream().map(each -> wiring.host() + ":" + each.group()).toList()));
    variables.put("HEADGATE_TELEMETRY_METRICS_PORT", Integer.toString(own.metrics()));
    variables.put(
        "HEADGATE_TELEMETRY_METRICS_TOKEN_FILE",
        InstallationConfig.metricsToken(wiring.data()).toString());
    variables.put(
        "HEADGATE_TELEMETRY_LOG_LEVEL",
        wiring.telemetry().logLevel().name().toLowerCase(Locale.ROOT));
    variables.put(
        "HEADGATE_TELEMETRY_LOG_FORMAT",
        wiring.telemetry().logFormat().name().toLowerCase(Locale.ROOT));
    wiring
        .telemetry()
        .otlpEndpoint()
        .ifPresent(
            receiver -> variables.put("HEADGATE_TELEMETRY_OTLP_ENDPOINT", receiver.toString()));
    return variables;
  }

  private Path databasePassword() {
    return wiring.data().resolve("secrets").resolve("scheduler-database.password");
  }

  private static String name(int index) {
    return "scheduler-" + (index + 1);
  }

  /// Stops all of them in order, the leader as well.
  @Override
  public void close() {
    List<Process> running;
    synchronized (this) {
      closed = true;
      running = List.copyOf(processes.values());
    }
    starter.shutdownNow();
    running.forEach(Process::destroy);
    try {
      for (Process process : running) {
        if (!process.waitFor(STOP_SECONDS, TimeUnit.SECONDS)) {
          process.destroyForcibly();
        }
      }
      Files.deleteIfExists(databasePassword());
    } catch (InterruptedException e) {
      running.forEach(Process::destroyForcibly);
      Thread.currentThread().interrupt();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
