package io.headgate.deploy;

import io.headgate.deploy.grafana.Observation;
import io.headgate.deploy.node.NodePlan;
import io.headgate.kit.telemetry.TelemetryConfig;
import io.headgate.sdk.cli.output.UsageException;
import java.io.IOException;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/// The flags of `up`.
final class UpFlags {
  private static final String LOOPBACK = "127.0.0.1";

  @Option(
      names = "--data",
      paramLabel = "DIR",
      description = "Directory for all data. Default: ~/.local/share/headgate.")
  @Nullable Path data;

  @Option(
      names = "--ephemeral",
      description = "Keep no data: use a new directory and remove it at the end.")
  boolean ephemeral;

  @Option(
      names = "--port",
      paramLabel = "PORT",
      defaultValue = "7400",
      description =
          "Port of the API; the next port serves metrics. 0 chooses free ports. Default: 7400.")
  int port;

  @Option(
      names = "--ip",
      paramLabel = "ADDRESS",
      defaultValue = LOOPBACK,
      description =
          "IPv4 address to listen on, without TLS; 0.0.0.0 for all addresses of this machine."
              + " Default: 127.0.0.1.")
  String ip = LOOPBACK;

  @Option(
      names = {"-f", "--file"},
      paramLabel = "FILE",
      description =
          "Configuration file to apply at the start. A tenant with a configuration shows the plan"
              + " and asks first, as headgate apply does.")
  @Nullable Path file;

  @Option(
      names = "--nodes",
      paramLabel = "NODES",
      description =
          "Nodes to add: local (this machine with its GPUs), cpu (this machine without GPUs),"
              + " none, or sim:NODESxGPUSxMODEL[-MEMORY] (simulated GPUs). New nodes join the pool"
              + " of that model. Nodes of earlier runs start again; the flag changes their GPUs."
              + " Default of a new installation: local if the machine has GPUs, else cpu."
              + " Default later: none.")
  @Nullable String nodes;

  @Option(
      names = "--schedulers",
      paramLabel = "N",
      defaultValue = "0",
      description =
          "Run N scheduler processes, at most 9. When the leader ends, another one takes over."
              + " Their APIs are at every tenth port after --port. Default: 0, which schedules in"
              + " this process.")
  int schedulers;

  @Option(
      names = "--share",
      paramLabel = "DIR",
      description =
          "Directory that jobs see at the same path, also below /tmp or a home directory. May be"
              + " repeated.")
  List<Path> shared = List.of();

  @Option(
      names = "--observe",
      paramLabel = "DIR",
      description =
          "Write into this directory what a Prometheus and a Grafana of this machine need for this"
              + " installation: addresses, alerts, dashboards.")
  @Nullable Path observed;

  @Option(
      names = "--demo",
      description = "Play a demo: two teams, two simulated machines, real jobs.")
  boolean demo;

  @Option(names = "--once", description = "With --demo: end when the demo has ended.")
  boolean once;

  @Option(
      names = "--otlp",
      paramLabel = "URL",
      description = "Send traces, metrics and logs to this OTLP/HTTP receiver.")
  @Nullable URI otlp;

  @Option(
      names = "--export-output",
      description = "With --otlp: send each line that jobs print there, too.")
  boolean exportedOutput;

  @Option(
      names = "--log-level",
      paramLabel = "LEVEL",
      defaultValue = "warn",
      description = "error, warn, info or debug, on standard error. Default: warn.")
  String logLevel = "warn";

  @Option(
      names = "--log-format",
      paramLabel = "FORM",
      defaultValue = "text",
      description = "text, or json: one object a line, with trace ids. Default: text.")
  String logFormat = "text";

  @Option(
      names = "--rotate-encryption-key",
      description =
          "Give each service a new key-encryption key at this start. The log says what to do with"
              + " the former ones.")
  boolean rotateKey;

  @Option(
      names = "--replace-encryption-key",
      description =
          "The directory of secrets is lost: give up what was sealed with its keys, such as"
              + " environments of jobs and variables of vaults.")
  boolean replaceKey;

  /// Whether the launcher starts `up` again, because its process has died. The file is then not
  /// applied a second time, and the demo not played.
  boolean again;

  /// The configuration that the flags describe.
  InstallationConfig installation(Path directory) {
    TelemetryConfig telemetry =
        new TelemetryConfig(
            Optional.ofNullable(otlp),
            // Jobs and other machines reach the address of the API, and have no business here.
            TelemetryConfig.DEFAULTS.metricsHost(),
            Optional.of(port == 0 ? 0 : port + 1),
            TelemetryConfig.MetricsAccess.TOKEN,
            Optional.of(InstallationConfig.metricsToken(directory)),
            1.0,
            TelemetryConfig.DEFAULTS.exportInterval(),
            TelemetryConfig.LogLevel.valueOf(logLevel.toUpperCase(Locale.ROOT)),
            TelemetryConfig.LogFormat.valueOf(logFormat.toUpperCase(Locale.ROOT)));
    return InstallationConfig.of(directory, port)
        .withHost(ip)
        .withTelemetry(telemetry)
        .withSchedulers(schedulers)
        .withShared(shared(directory))
        .withKeyChange(keyChange())
        .withExportedOutput(exportedOutput);
  }

  private InstallationConfig.KeyChange keyChange() {
    // A process that died has changed them before.
    if (again) {
      return InstallationConfig.KeyChange.NONE;
    }
    if (replaceKey) {
      return InstallationConfig.KeyChange.REPLACE;
    }
    return rotateKey ? InstallationConfig.KeyChange.ROTATE : InstallationConfig.KeyChange.NONE;
  }

  /// Where files for Prometheus and Grafana are written; empty: nowhere.
  Optional<Observation> observation() {
    return Optional.ofNullable(observed).map(Observation::new);
  }

  /// Writes them, if they are wanted. The installation runs on without them: causes that can be
  /// known before were looked for by [#check].
  ///
  /// @param addresses of the scrape endpoints of all processes
  /// @param data of the installation
  /// @param warn takes the warning if they could not be written
  void observe(Collection<URI> addresses, Path data, Consumer<String> warn) {
    observation()
        .ifPresent(files -> {
          try {
            files.write(addresses, InstallationConfig.metricsToken(data));
          } catch (IOException e) {
            warn.accept(
                ("warning: the files for Prometheus and Grafana in \"%s\" are not complete: %s;"
                        + " remove the cause, and start again with --observe")
                    .formatted(files.directory(), Observation.cause(e)));
          }
        });
  }

  private List<Path> shared(Path directory) {
    return Stream.concat(shared.stream(), Stream.of(directory.resolve("demo")))
        .map(Path::toAbsolutePath)
        .toList();
  }

  /// Whether other machines can reach the installation.
  boolean isOpen() {
    return !InetAddress.ofLiteral(ip).isLoopbackAddress();
  }

  /// Refuses flags that contradict each other or make no sense.
  void check() {
    if (once && !demo) {
      throw new UsageException("--once needs --demo", "BAD_FLAGS", "headgate up --demo --once");
    }
    if (demo && (nodes != null || file != null)) {
      throw new UsageException(
          "--demo brings its own configuration and nodes",
          "BAD_FLAGS",
          "leave out --demo, or leave out --nodes and --file");
    }
    checkTelemetry();
    requireNotBoth("--rotate-encryption-key", rotateKey, "--replace-encryption-key", replaceKey);
    requireNotBoth("--ephemeral", ephemeral, "--data", data != null);
    if (schedulers < 0 || schedulers > InstallationConfig.MAX_SCHEDULERS) {
      throw new UsageException(
          "\"" + schedulers + "\" is not a number for --schedulers",
          "BAD_FLAG_VALUE",
          "write 0 to " + InstallationConfig.MAX_SCHEDULERS);
    }
    int lastPort = 65_533 - SchedulerPorts.APART * schedulers;
    if (port < 0 || port > lastPort) {
      throw new UsageException(
          "\"" + port + "\" is not a port for --port", "BAD_FLAG_VALUE", "write 0 to " + lastPort);
    }
    if (!isAddress(ip)) {
      throw new UsageException(
          "\"" + ip + "\" is not an address for --ip",
          "BAD_FLAG_VALUE",
          "write an IPv4 address: --ip 0.0.0.0");
    }
    if (schedulers > 0 && !InetAddress.ofLiteral(ip).isLoopbackAddress()) {
      throw new UsageException(
          "--schedulers needs a loopback address, not --ip " + ip,
          "BAD_FLAGS",
          "the schedulers talk to each other without TLS: leave one flag out");
    }
    for (Path directory : shared) {
      if (!Files.isDirectory(directory)) {
        throw new UsageException(
            "\"" + directory + "\" is not a directory for --share",
            "BAD_FLAG_VALUE",
            "create it, or name an existing directory");
      }
    }
    if (nodes != null) {
      try {
        var _ = NodePlan.parse(nodes, StarterConfiguration.POOL);
      } catch (IllegalArgumentException e) {
        throw new UsageException(String.valueOf(e.getMessage()), "BAD_FLAG_VALUE", "--nodes cpu");
      }
    }
    // Last, because it creates the directory.
    observation().ifPresent(Observation::check);
  }

  private void checkTelemetry() {
    requireOneOf("--log-level", logLevel, List.of("error", "warn", "info", "debug"));
    requireOneOf("--log-format", logFormat, List.of("text", "json"));
    if (exportedOutput && otlp == null) {
      throw new UsageException(
          "--export-output needs a receiver",
          "BAD_FLAGS",
          "headgate up --otlp http://127.0.0.1:4318 --export-output");
    }
  }

  private static void requireOneOf(String flag, String value, List<String> values) {
    if (!values.contains(value)) {
      throw new UsageException(
          "\"" + value + "\" is not a value of " + flag,
          "BAD_FLAG_VALUE",
          "values: " + String.join(", ", values));
    }
  }

  private static void requireNotBoth(String one, boolean hasOne, String other, boolean hasOther) {
    if (hasOne && hasOther) {
      throw new UsageException(
          one + " and " + other + " exclude each other", "BAD_FLAGS", "leave one of them out");
    }
  }

  private static boolean isAddress(String text) {
    try {
      return InetAddress.ofLiteral(text) instanceof Inet4Address;
    } catch (IllegalArgumentException e) {
      return false;
    }
  }
}
