package io.headgate.agent;

import io.headgate.kit.config.ConfigException;
import io.headgate.kit.config.ConfigLoader;
import io.headgate.kit.config.Setting;
import io.headgate.kit.config.SettingsReference;
import io.headgate.kit.lifecycle.Lifecycle;
import io.headgate.kit.telemetry.Telemetry;
import io.headgate.kit.telemetry.TelemetryConfig;
import io.headgate.kit.time.TimeSource;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The agent as a process of its own.
///
/// ```
/// headgate-agent [--config FILE] [--data DIR] [--node ID] [--server URL]
///                [--join-token-file FILE] [--simulate-gpus 8xH100] [--checkpoints DIR]
/// headgate-agent qualify …
/// headgate-agent --settings
/// ```
///
/// A flag wins over the environment, the environment over the file. SIGTERM ends the agent and no
/// job.
public final class AgentMain {
  private static final String USAGE =
      """
      usage: headgate-agent [--config FILE] [FLAG VALUE]...
             headgate-agent qualify [FLAG VALUE]...
             headgate-agent --settings

      Runs on one machine what the scheduler assigned. Settings come from flags, from variables such
      as HEADGATE_AGENT_DATA, and from the YAML file. A flag wins over a variable, a variable over
      the file. SIGTERM ends the agent and no job. Flags:
        --data DIR               directory of the agent's files
        --node ID                id that the machine gets when it joins; its host name
        --server URL             address of all services; http://127.0.0.1:7400
        --join-token-file FILE   file with the token of headgate join-token
        --simulate-gpus GPUS     GPUs that do not exist, such as 8xH100
        --checkpoints DIR        root of the jobs' checkpoint directories
      --settings prints all settings of the file. qualify tests the GPUs of this machine.

      Exit status: 0 stopped, 2 refused by the installation (the log says what to do), 64 wrong
      arguments or configuration, 70 not started.
      """;

  private static final Logger LOG = LoggerFactory.getLogger(AgentMain.class);

  /// The same start would be refused again, so an init system leaves the agent stopped.
  private static final int EXIT_REFUSED = 2;

  private static final int EXIT_USAGE = 64;
  private static final int EXIT_FAILED = 70;
  private static final Duration STOP_BOUND = Duration.ofSeconds(10);

  /// Flags, and the variable that each stands for. There is none for the join token itself: command
  /// lines are visible to every user of the machine.
  private static final Map<String, String> FLAGS =
      Map.of(
          "--data", "HEADGATE_AGENT_DATA",
          "--node", "HEADGATE_AGENT_NODE",
          "--server", "HEADGATE_AGENT_SERVER",
          "--join-token-file", "HEADGATE_AGENT_JOIN_FILE",
          "--simulate-gpus", "HEADGATE_AGENT_SIMULATE_GPUS",
          "--checkpoints", "HEADGATE_AGENT_CHECKPOINTS");

  private AgentMain() {}

  /// The file: the agent and its telemetry.
  record Config(
      @Setting(meaning = "The agent itself.") AgentConfig agent,
      @Setting(meaning = "Receivers of metrics, traces and logs.") TelemetryConfig telemetry) {
    Config {
      Bounds.require(
          !agent.logs().export() || telemetry.otlpEndpoint().isPresent(),
          "logs.export",
          "true",
          "has nowhere to send the output of jobs; set telemetry.otlp-endpoint, or leave it out");
    }
  }

  public static void main(String[] arguments) throws InterruptedException {
    if (arguments.length > 0 && arguments[0].equals(Qualify.COMMAND)) {
      PrintStream output =
          new PrintStream(new FileOutputStream(FileDescriptor.out), true, StandardCharsets.UTF_8);
      List<String> words = List.of(arguments).subList(1, arguments.length);
      System.exit(new Qualify(System.getenv(), output).run(words));
      return;
    }
    Optional<String> wanted = wanted(List.of(arguments));
    if (wanted.isPresent()) {
      new PrintStream(new FileOutputStream(FileDescriptor.out), true, StandardCharsets.UTF_8)
          .print(wanted.get());
      return;
    }
    Config config;
    try {
      config = configuration(arguments, System.getenv());
    } catch (IllegalArgumentException | ConfigException e) {
      LOG.error("{}", e.getMessage());
      System.exit(EXIT_USAGE);
      return;
    }
    Lifecycle lifecycle = new Lifecycle(STOP_BOUND);
    lifecycle.stopOnSignal();
    Telemetry telemetry =
        lifecycle.own(
            "telemetry",
            Telemetry.start(config.telemetry(), "headgate-agent", NodeAgent.version()));
    try {
      lifecycle
          .own(
              "agent",
              new AgentSuccession(
                  () -> new NodeAgent(config.agent(), telemetry, TimeSource.system()),
                  () -> end(lifecycle, EXIT_FAILED),
                  () -> end(lifecycle, EXIT_REFUSED)))
          .start();
    } catch (UncheckedIOException | CompletionException e) {
      LOG.error("{}", e.getMessage());
      end(lifecycle, EXIT_FAILED);
    } catch (RuntimeException | Error e) {
      // Other threads would keep a process alive that has no agent.
      LOG.error("the agent did not start", e);
      end(lifecycle, EXIT_FAILED);
    }
    lifecycle.awaitStopped();
  }

  /// The text that the arguments ask for instead of a run.
  static Optional<String> wanted(List<String> arguments) {
    if (arguments.contains("--help") || arguments.contains("-h")) {
      return Optional.of(USAGE);
    }
    return arguments.contains("--settings")
        ? Optional.of(SettingsReference.of(Config.class).text())
        : Optional.empty();
  }

  private static void end(Lifecycle lifecycle, int status) {
    lifecycle.close();
    Runtime.getRuntime().halt(status);
  }

  static Config configuration(String[] arguments, Map<String, String> environment) {
    Map<String, String> overridden = new HashMap<>(environment);
    Optional<Path> file = Optional.empty();
    for (int i = 0; i < arguments.length; i++) {
      String flag = arguments[i];
      int equals = flag.indexOf('=');
      String name = equals < 0 ? flag : flag.substring(0, equals);
      @Nullable String variable = FLAGS.get(name);
      if (variable == null && !name.equals("--config")) {
        throw new IllegalArgumentException(
            "there is no flag %s; the flags are --config, %s (see --help)"
                .formatted(name, String.join(", ", FLAGS.keySet().stream().sorted().toList())));
      }
      if (equals < 0 && i + 1 == arguments.length) {
        throw new IllegalArgumentException(name + " needs a value");
      }
      String value = equals < 0 ? arguments[++i] : flag.substring(equals + 1);
      if (variable == null) {
        file = Optional.of(Path.of(value));
      } else {
        overridden.put(variable, value);
      }
    }
    return ConfigLoader.load(Config.class, file, overridden);
  }
}
