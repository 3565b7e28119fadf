package io.headgate.deploy;

import io.headgate.deploy.demo.Demo;
import io.headgate.kit.lifecycle.Lifecycle;
import io.headgate.kit.telemetry.TelemetryConfig;
import io.headgate.sdk.cli.error.ExitCode;
import io.headgate.sdk.cli.frame.CliCommand;
import io.headgate.sdk.cli.frame.GlobalOptions;
import io.headgate.sdk.cli.frame.Invocation;
import io.headgate.sdk.cli.output.UsageException;
import io.headgate.sdk.client.HeadgateClient;
import io.headgate.sdk.config.Configuration;
import io.headgate.sdk.config.ConfigurationReader;
import io.headgate.sdk.model.ConfigurationState;
import java.io.IOException;
import java.lang.reflect.Field;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/// `headgate up`.
@Command(
    header = {
      "headgate up                               everything on this machine, kept between runs",
      "headgate up --demo                        the same with simulated GPUs and a story of real jobs",
      "headgate up --nodes sim:2x8xA100-80GiB    with two simulated machines",
      "headgate up --schedulers 3                with three schedulers, one of which leads",
      ""
    },
    description =
        "Runs PostgreSQL, the three services and agents in one process. Ctrl-C stops all of it in"
            + " order: running jobs are preempted with their abort callback and resume at the next"
            + " up.")
public final class UpCommand implements CliCommand {
  private static final String DEFAULT_TENANT = "default";
  private static final String LOOPBACK = "127.0.0.1";
  private static final Duration NODE_PATIENCE = Duration.ofSeconds(30);

  @Spec private CommandSpec spec = CommandSpec.create();
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
      names = "--ip",
      paramLabel = "ADDRESS",
      defaultValue = LOOPBACK,
      description =
          "Listen on this IPv4 address, without TLS; 0.0.0.0: all of this machine. Default:"
              + " 127.0.0.1.")
  private String ip = LOOPBACK;

  @Option(
      names = {"-f", "--file"},
      paramLabel = "FILE",
      description = "A configuration to apply at the start.")
  private @Nullable Path file;

  @Option(
      names = "--nodes",
      paramLabel = "NODES",
      description =
          "Agents to add: none, cpu or sim:NODESxGPUSxMODEL[-MEMORY]. They join the pool of that"
              + " model. Default: cpu in a new installation, else none. Known agents start again.")
  private @Nullable String nodes;

  @Option(
      names = "--schedulers",
      paramLabel = "N",
      defaultValue = "0",
      description =
          "Run N schedulers as processes of their own, up to 9; when the leader ends another takes"
              + " over. Their APIs are at every tenth port after --port. Default: 0, schedule in"
              + " this process.")
  private int schedulers;

  @Option(
      names = "--share",
      paramLabel = "DIR",
      description =
          "Jobs find this directory at its place, also below /tmp or a home directory, where they"
              + " find nothing else once they have users of their own. May be repeated.")
  private List<Path> shared = List.of();

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
    Configuration wanted = file == null ? null : ConfigurationReader.read(file).configuration();
    Path directory =
        ephemeral
            ? Files.createTempDirectory("headgate-")
            : DataDirectory.of(data, invocation.environment().variables());
    DataDirectory.create(directory);
    Optional<InstanceLock> lock = InstanceLock.tryTake(directory);
    if (lock.isEmpty()) {
      return RunningUp.show(invocation, directory, given());
    }
    try (InstanceLock held = lock.get()) {
      FreePorts.check(ip, port, schedulers);
      return serve(invocation, directory, held, wanted);
    } finally {
      if (ephemeral && Files.exists(directory)) {
        Directories.delete(directory);
      }
    }
  }

  private int serve(
      Invocation invocation, Path directory, InstanceLock lock, @Nullable Configuration wanted)
      throws Exception {
    UpScreen screen = new UpScreen(invocation.environment().out());
    screen.title(ip, !InetAddress.ofLiteral(ip).isLoopbackAddress());
    Lifecycle lifecycle = new Lifecycle(Installation.stopBound());
    if (ephemeral) {
      // Also when a signal ends this process, which does not come back to here then.
      lifecycle.start("directory", () -> {}, () -> Directories.delete(directory));
    }
    lifecycle.start("farewell", () -> {}, screen::stopped);
    lifecycle.stopOnSignal();
    try {
      Installation installation =
          lifecycle.startTogether(() -> start(directory, lifecycle, screen));
      lifecycle.start("announcement", () -> {}, screen::stopping);
      String tenant = tenant(directory, wanted);
      Configuration inForce = configure(installation, tenant, wanted);
      startAgents(installation, tenant, inForce, screen);
      ChosenTenant.write(directory, tenant);
      UpContext context =
          UpContext.write(
              invocation.contexts(),
              global.context,
              installation.uri(),
              tenant,
              installation.adminKey().reveal());
      if (ephemeral) {
        lifecycle.start("context", () -> {}, context::remove);
      }
      lock.say(screen.ready(installation, directory, context));
      if (!demo) {
        screen.next(inForce);
      }
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
    } catch (IllegalStateException e) {
      if (lifecycle.isStopping()) {
        // Ctrl-C while it was starting.
        return ExitCode.INTERRUPTED;
      }
      throw e;
    } finally {
      lifecycle.close();
    }
  }

  private Installation start(Path directory, Lifecycle lifecycle, UpScreen screen)
      throws IOException {
    TelemetryConfig telemetry =
        new TelemetryConfig(
            Optional.ofNullable(otlp),
            ip,
            Optional.of(port == 0 ? 0 : port + 1),
            1.0,
            TelemetryConfig.DEFAULTS.exportInterval(),
            TelemetryConfig.LogLevel.valueOf(logLevel.toUpperCase(Locale.ROOT)));
    return Installation.start(
        InstallationConfig.of(directory, port)
            .withHost(ip)
            .withTelemetry(telemetry)
            .withSchedulers(schedulers)
            .withShared(shared(directory)),
        lifecycle,
        screen);
  }

  private List<Path> shared(Path directory) {
    return Stream.concat(shared.stream(), Stream.of(directory.resolve("demo")))
        .map(Path::toAbsolutePath)
        .toList();
  }

  /// Whose jobs are shown from now on: the file's or the demo's tenant, else the last one's.
  private String tenant(Path directory, @Nullable Configuration wanted) throws IOException {
    if (demo) {
      return Demo.TENANT;
    }
    String named = wanted == null ? null : wanted.tenant();
    return named != null ? named : ChosenTenant.read(directory).orElse(DEFAULT_TENANT);
  }

  /// Applies what is wanted.
  ///
  /// @return what is in force then
  private Configuration configure(
      Installation installation, String tenant, @Nullable Configuration wanted) throws Exception {
    installation.ensureTenant(tenant);
    try (HeadgateClient operator = installation.connectAsOperator()) {
      ConfigurationState before = operator.configuration(tenant).read();
      Configuration chosen = wanted;
      if (demo) {
        chosen = Demo.configuration();
      } else if (chosen == null && before.versions().resources() == 0) {
        chosen = StarterConfiguration.forNodes(plans(StarterConfiguration.POOL));
      }
      if (chosen == null) {
        return before.configuration();
      }
      operator.configuration(tenant).apply(chosen.withTenant(tenant));
      return chosen;
    }
  }

  private void startAgents(
      Installation installation, String tenant, Configuration inForce, UpScreen screen)
      throws IOException, InterruptedException {
    screen.begin("agents");
    installation.startKnownNodes();
    List<NodePlan> plans = demo ? Demo.nodes() : plans(inForce);
    for (NodePlan plan : plans) {
      installation.addNode(tenant, plan);
    }
    int connected = installation.awaitAgents(NODE_PATIENCE);
    screen.agentsReady(connected, installation.agents().size(), installation.simulatesGpus());
  }

  private List<NodePlan> plans(Configuration inForce) {
    boolean own =
        inForce.pools().stream().anyMatch(pool -> pool.name().equals(StarterConfiguration.POOL));
    if (own) {
      return plans(StarterConfiguration.POOL);
    }
    if (nodes == null) {
      return List.of();
    }
    List<NodePlan> plans = plans("");
    return plans.isEmpty()
        ? plans
        : plans(NodePools.forModel(plans.getFirst().gpuModel(), inForce.pools()));
  }

  private List<NodePlan> plans(String pool) {
    return NodePlan.parse(nodes == null ? "cpu" : nodes, pool);
  }

  private static List<String> tell(Installation installation, Path directory, Invocation invocation)
      throws IOException, InterruptedException {
    try (HeadgateClient operator = installation.connectAsOperator();
        Visitor ada = Visitor.enter(installation, operator, Demo.TENANT, "ada");
        Visitor alan = Visitor.enter(installation, operator, Demo.TENANT, "alan")) {
      return new Demo(
              operator,
              ada.client(),
              alan.client(),
              directory.resolve("demo"),
              invocation.environment().out()::println)
          .play();
    }
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
    if (schedulers < 0 || schedulers > InstallationConfig.MAX_SCHEDULERS) {
      throw new UsageException(
          "\"" + schedulers + "\" is not a number for --schedulers",
          "BAD_FLAG_VALUE",
          "0 to " + InstallationConfig.MAX_SCHEDULERS);
    }
    int lastPort = 65_533 - SchedulerPorts.APART * schedulers;
    if (port < 0 || port > lastPort) {
      throw new UsageException(
          "\"" + port + "\" is not a port for --port", "BAD_FLAG_VALUE", "0 to " + lastPort);
    }
    if (!isAddress(ip)) {
      throw new UsageException(
          "\"" + ip + "\" is not an address for --ip",
          "BAD_FLAG_VALUE",
          "IPv4 in numbers: --ip 0.0.0.0");
    }
    if (schedulers > 0 && !InetAddress.ofLiteral(ip).isLoopbackAddress()) {
      throw new UsageException(
          "--schedulers goes with an --ip of this machine alone",
          "BAD_FLAGS",
          "their group talks in the clear and asks nobody who they are: leave one of them out");
    }
    for (Path directory : shared) {
      if (!Files.isDirectory(directory)) {
        throw new UsageException(
            "\"" + directory + "\" is not a directory for --share",
            "BAD_FLAG_VALUE",
            "make it, or name one that is there");
      }
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

  private static boolean isAddress(String text) {
    try {
      return InetAddress.ofLiteral(text) instanceof Inet4Address;
    } catch (IllegalArgumentException e) {
      return false;
    }
  }

  /// Those of its own flags that were given, but for the one that says where.
  private List<String> given() {
    return spec.commandLine().getParseResult().matchedOptions().stream()
        .filter(option ->
            option.userObject() instanceof Field field
                && field.getDeclaringClass() == UpCommand.class)
        .map(OptionSpec::longestName)
        .filter(name -> !name.equals("--data"))
        .toList();
  }
}
