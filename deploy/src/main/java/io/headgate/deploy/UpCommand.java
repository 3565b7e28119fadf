package io.headgate.deploy;

import io.headgate.deploy.demo.Demo;
import io.headgate.kit.lifecycle.Lifecycle;
import io.headgate.kit.telemetry.TelemetryConfig;
import io.headgate.sdk.cli.context.Context;
import io.headgate.sdk.cli.error.ExitCode;
import io.headgate.sdk.cli.frame.CliCommand;
import io.headgate.sdk.cli.frame.GlobalOptions;
import io.headgate.sdk.cli.frame.Invocation;
import io.headgate.sdk.cli.output.UsageException;
import io.headgate.sdk.client.HeadgateClient;
import io.headgate.sdk.config.Configuration;
import io.headgate.sdk.config.ConfigurationReader;
import java.io.IOException;
import java.net.BindException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/// `headgate up`.
@Command(
    header = {
      "headgate up                               everything on this machine, kept between runs",
      "headgate up --demo                        the same with simulated GPUs and a story of real jobs",
      "headgate up --nodes sim:2x8xA100-80GiB    with two simulated machines",
      ""
    },
    description = {
      "Runs PostgreSQL, the three services and agents in one process. Ctrl-C stops all of it in order: running",
      "jobs are preempted with their abort callback and resume at the next up."
    })
public final class UpCommand implements CliCommand {
  private static final String DEFAULT_TENANT = "default";
  private static final Duration NODE_PATIENCE = Duration.ofSeconds(30);

  @Mixin private final GlobalOptions global = new GlobalOptions();

  @Option(
      names = "--data",
      paramLabel = "DIR",
      description = "Where everything is kept. Default: ~/.local/share/headgate.")
  private @Nullable Path data;

  @Option(
      names = "--ephemeral",
      description = "Keep nothing: a fresh directory, removed at the end.")
  private boolean ephemeral;

  @Option(
      names = "--port",
      paramLabel = "PORT",
      defaultValue = "7400",
      description = "Of the API; metrics are at the next one. 0 chooses free ones. Default: 7400.")
  private int port;

  @Option(
      names = {"-f", "--file"},
      paramLabel = "FILE",
      description = "A configuration to apply at the start.")
  private @Nullable Path file;

  @Option(
      names = "--nodes",
      paramLabel = "NODES",
      description = "Agents to start: none, cpu or sim:NODESxGPUSxMODEL[-MEMORY]. Default: cpu.")
  private @Nullable String nodes;

  @Option(names = "--demo", description = "Two teams, two simulated machines, and a story.")
  private boolean demo;

  @Option(names = "--once", description = "With --demo: end when the story is told.")
  private boolean once;

  @Option(
      names = "--otlp",
      paramLabel = "URL",
      description = "Send traces, metrics and logs to this OTLP/HTTP receiver.")
  private @Nullable URI otlp;

  @Option(
      names = "--log-level",
      paramLabel = "LEVEL",
      defaultValue = "warn",
      description = "error, warn, info or debug, on standard error. Default: warn.")
  private String logLevel = "warn";

  @Override
  public GlobalOptions global() {
    return global;
  }

  @Override
  public int run(Invocation invocation) throws Exception {
    checkFlags();
    Path directory = ephemeral ? Files.createTempDirectory("headgate-") : directory(invocation);
    createDirectory(directory);
    Optional<InstanceLock> lock = InstanceLock.tryTake(directory);
    if (lock.isEmpty()) {
      return alreadyRunning(invocation, directory);
    }
    try (InstanceLock held = lock.get()) {
      return serve(invocation, directory, held);
    } finally {
      if (ephemeral) {
        Directories.delete(directory);
      }
    }
  }

  private int serve(Invocation invocation, Path directory, InstanceLock lock) throws Exception {
    UpScreen screen = new UpScreen(invocation.environment().out());
    screen.title();
    Lifecycle lifecycle = new Lifecycle(Installation.stopBound());
    lifecycle.start("farewell", () -> {}, screen::stopped);
    lifecycle.stopOnSignal();
    try {
      Installation installation = start(directory, lifecycle, screen);
      lifecycle.start("announcement", () -> {}, screen::stopping);
      String tenant = demo ? Demo.TENANT : DEFAULT_TENANT;
      configure(installation, tenant);
      startAgents(installation, tenant, screen);
      invocation
          .contexts()
          .put(
              new Context(
                  "local",
                  installation.uri().toString(),
                  tenant,
                  installation.adminKey().reveal(),
                  null));
      String summary = screen.ready(installation, directory, invocation.contexts().file(), demo);
      lock.say(summary);
      if (demo) {
        List<String> wrong = tell(installation, directory, invocation);
        if (!wrong.isEmpty()) {
          screen.failed(wrong);
          return ExitCode.REFUSED;
        }
        if (once) {
          return ExitCode.DONE;
        }
        screen.goesOn();
      }
      lifecycle.awaitStopped();
      return ExitCode.DONE;
    } finally {
      lifecycle.close();
    }
  }

  private Installation start(Path directory, Lifecycle lifecycle, UpScreen screen)
      throws IOException {
    TelemetryConfig telemetry =
        new TelemetryConfig(
            Optional.ofNullable(otlp),
            "127.0.0.1",
            Optional.of(port == 0 ? 0 : port + 1),
            1.0,
            TelemetryConfig.DEFAULTS.exportInterval(),
            TelemetryConfig.LogLevel.valueOf(logLevel.toUpperCase(Locale.ROOT)));
    try {
      return Installation.start(
          InstallationConfig.of(directory, port).withTelemetry(telemetry), lifecycle, screen);
    } catch (RuntimeException e) {
      if (causedByTakenPort(e)) {
        throw new UsageException(
            "port " + port + " or " + (port + 1) + " is taken by another program",
            "PORT_TAKEN",
            "choose another: headgate up --port " + (port + 100));
      }
      throw e;
    }
  }

  private void configure(Installation installation, String tenant) throws Exception {
    installation.ensureTenant(tenant);
    try (HeadgateClient operator = installation.connectAsOperator()) {
      Optional<Configuration> wanted = wanted(operator, tenant);
      if (wanted.isPresent()) {
        String named = Optional.ofNullable(wanted.get().tenant()).orElse(tenant);
        installation.ensureTenant(named);
        operator.configuration(named).apply(wanted.get().withTenant(named));
      }
    }
  }

  private Optional<Configuration> wanted(HeadgateClient operator, String tenant) throws Exception {
    if (file != null) {
      return Optional.of(ConfigurationReader.read(file).configuration());
    }
    if (demo) {
      return Optional.of(Demo.configuration());
    }
    boolean fresh = operator.configuration(tenant).read().versions().resources() == 0;
    return fresh
        ? Optional.of(StarterConfiguration.forNodes(plans(StarterConfiguration.POOL)))
        : Optional.empty();
  }

  private void startAgents(Installation installation, String tenant, UpScreen screen)
      throws IOException, InterruptedException {
    screen.begin("agents");
    installation.startKnownNodes();
    if (demo) {
      for (NodePlan plan : Demo.nodes()) {
        installation.addNode(tenant, plan);
      }
    } else if (file == null) {
      for (NodePlan plan : plans(StarterConfiguration.POOL)) {
        installation.addNode(tenant, plan);
      }
    }
    int connected = installation.awaitAgents(NODE_PATIENCE);
    screen.ready(
        "agents",
        connected + " of " + installation.agents().size() + " connected; GPUs are SIMULATED");
  }

  private List<NodePlan> plans(String pool) {
    return NodePlan.parse(nodes == null ? "cpu" : nodes, pool);
  }

  private static List<String> tell(Installation installation, Path directory, Invocation invocation)
      throws IOException, InterruptedException {
    try (HeadgateClient operator = installation.connectAsOperator();
        HeadgateClient ada = connectAs(installation, operator, "ada");
        HeadgateClient alan = connectAs(installation, operator, "alan")) {
      return new Demo(
              operator,
              ada,
              alan,
              directory.resolve("demo"),
              invocation.environment().out()::println)
          .play();
    }
  }

  private static HeadgateClient connectAs(
      Installation installation, HeadgateClient operator, String user) {
    return installation.connect(
        operator.createKey("tenants/" + Demo.TENANT + "/users/" + user, "demo"));
  }

  private void checkFlags() {
    if (once && !demo) {
      throw new UsageException("--once goes with --demo", "BAD_FLAGS", "headgate up --demo --once");
    }
    if (demo && (nodes != null || file != null)) {
      throw new UsageException(
          "--demo brings its own configuration and nodes",
          "BAD_FLAGS",
          "leave --nodes and --file out, or --demo");
    }
    if (ephemeral && data != null) {
      throw new UsageException(
          "--ephemeral and --data exclude each other", "BAD_FLAGS", "leave one of them out");
    }
    if (port < 0 || port > 65_534) {
      throw new UsageException(
          "\"" + port + "\" is not a port for --port", "BAD_FLAG_VALUE", "0 to 65534");
    }
    if (!List.of("error", "warn", "info", "debug").contains(logLevel)) {
      throw new UsageException(
          "\"" + logLevel + "\" is not a value of --log-level",
          "BAD_FLAG_VALUE",
          "values: error, warn, info, debug");
    }
    try {
      plans(StarterConfiguration.POOL);
    } catch (IllegalArgumentException e) {
      throw new UsageException(String.valueOf(e.getMessage()), "BAD_FLAG_VALUE", "--nodes cpu");
    }
  }

  private Path directory(Invocation invocation) {
    if (data != null) {
      return data.toAbsolutePath();
    }
    Map<String, String> variables = invocation.environment().variables();
    String base = variables.getOrDefault("XDG_DATA_HOME", "");
    return base.isEmpty()
        ? Path.of(variables.getOrDefault("HOME", "."), ".local", "share", "headgate")
            .toAbsolutePath()
        : Path.of(base, "headgate").toAbsolutePath();
  }

  private static void createDirectory(Path directory) {
    try {
      Files.createDirectories(directory);
    } catch (IOException e) {
      throw new UsageException(
          "cannot use the data directory " + directory + ": " + e,
          "FILE_ERROR",
          "name another: headgate up --data DIR");
    }
  }

  private static int alreadyRunning(Invocation invocation, Path directory) {
    invocation
        .environment()
        .out()
        .println(
            "Headgate is already running on "
                + directory
                + InstanceLock.noteOfHolder(directory)
                    .map(note -> ":\n\n" + note)
                    .orElse(", still starting."));
    return ExitCode.DONE;
  }

  private static boolean causedByTakenPort(Throwable e) {
    for (Throwable cause = e; cause != null; cause = cause.getCause()) {
      if (cause instanceof BindException
          || String.valueOf(cause.getMessage()).contains("Address already in use")) {
        return true;
      }
    }
    return false;
  }
}
