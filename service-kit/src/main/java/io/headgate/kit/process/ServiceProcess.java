package io.headgate.kit.process;

import io.headgate.kit.config.ConfigException;
import io.headgate.kit.config.ConfigLoader;
import io.headgate.kit.config.SettingsReference;
import io.headgate.kit.lifecycle.CannotStartException;
import io.headgate.kit.lifecycle.Lifecycle;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Runs a service as its own process: `[CONFIG_FILE] [COMMAND OPERAND…]`. Without a command it
/// serves until SIGTERM or SIGINT. A command performs one administrative task and exits. Errors for
/// the operator are one sentence on standard error. `--help` prints the usage and the settings that
/// have no default, `--settings` prints all settings.
///
/// ```java
/// static final ServiceProcess<Config> PROCESS =
///     new ServiceProcess<>(Config.class, USAGE, PoolServiceMain::start);
///
/// public static void main(String[] arguments) throws InterruptedException {
///   PROCESS.main(arguments);
/// }
/// ```
///
/// @param <C> the process's configuration
public final class ServiceProcess<C extends Record> {
  /// Stopped by a signal, or the command succeeded.
  public static final int EXIT_DONE = 0;

  /// The start or the command failed.
  public static final int EXIT_FAILED = 1;

  /// Wrong arguments or configuration.
  public static final int EXIT_USAGE = 2;

  private static final String SETTINGS = "--settings";
  private static final Logger LOG = LoggerFactory.getLogger(ServiceProcess.class);
  private static final Duration STOP_BOUND = Duration.ofSeconds(30);

  private final Class<C> type;
  private final String usage;
  private final Start<C> start;
  private final Map<String, Command<C>> commands = new LinkedHashMap<>();

  /// Starts the parts of a service.
  @FunctionalInterface
  public interface Start<C> {
    /// Starts the service and returns when it serves. All parts belong to `lifecycle`, also after a
    /// failure.
    ///
    /// @param terminal for messages to the operator; the log goes elsewhere
    void start(C config, Lifecycle lifecycle, PrintStream terminal) throws Exception;
  }

  /// The action of a command.
  @FunctionalInterface
  public interface Action<C> {
    /// Performs the command.
    ///
    /// @param operands as many as the command declares
    void run(C config, List<String> operands, PrintStream terminal) throws Exception;
  }

  private record Command<C>(int operands, Action<C> action) {}

  /// @param usage beginning of the text of `--help`, with a final line end
  public ServiceProcess(Class<C> type, String usage, Start<C> start) {
    this.type = type;
    this.usage = usage;
    this.start = start;
  }

  /// Adds a command; call it before the process runs.
  ///
  /// @param name begins with two hyphens
  /// @param operands number of operands
  public ServiceProcess<C> command(String name, int operands, Action<C> action) {
    commands.put(name, new Command<>(operands, action));
    return this;
  }

  /// The version of the jar of `main`; `development` outside of a jar.
  public static String version(Class<?> main) {
    return Optional.ofNullable(main.getPackage().getImplementationVersion()).orElse("development");
  }

  /// Runs until stopped; after a failure it exits with a non-zero status.
  public void main(String[] arguments) throws InterruptedException {
    List<String> words = List.of(arguments);
    // Help that was asked for is a result: it can be piped into a pager.
    FileDescriptor target = wanted(words).isPresent() ? FileDescriptor.out : FileDescriptor.err;
    PrintStream terminal =
        new PrintStream(new FileOutputStream(target), true, StandardCharsets.UTF_8);
    int status = run(words, System.getenv(), terminal);
    if (status != EXIT_DONE) {
      // Threads of a partial start must not keep the process alive.
      System.exit(status);
    }
  }

  /// Runs until stopped.
  ///
  /// @return the exit status
  public int run(List<String> arguments, Map<String, String> environment, PrintStream terminal)
      throws InterruptedException {
    Optional<String> wanted = wanted(arguments);
    if (wanted.isPresent()) {
      terminal.print(wanted.get());
      return EXIT_DONE;
    }
    Optional<Path> file =
        arguments.stream().findFirst().filter(word -> !word.startsWith("-")).map(Path::of);
    List<String> words = arguments.subList(file.isPresent() ? 1 : 0, arguments.size());
    Command<C> command = words.isEmpty() ? null : commands.get(words.getFirst());
    boolean understood =
        words.isEmpty() || (command != null && command.operands() == words.size() - 1);
    if (!understood) {
      terminal.println("not understood: " + String.join(" ", words));
      terminal.print(help());
      return EXIT_USAGE;
    }
    try {
      C config = ConfigLoader.load(type, file, environment);
      if (command == null) {
        serve(config, terminal);
      } else {
        command.action().run(config, words.subList(1, words.size()), terminal);
      }
      return EXIT_DONE;
    } catch (InterruptedException e) {
      throw e;
    } catch (ConfigException e) {
      terminal.println(e.getMessage());
      return EXIT_USAGE;
    } catch (Exception e) {
      terminal.println(sentence(e));
      return EXIT_FAILED;
    }
  }

  /// The text that the arguments ask for instead of a run.
  private Optional<String> wanted(List<String> arguments) {
    if (arguments.contains("--help") || arguments.contains("-h")) {
      return Optional.of(help());
    }
    return arguments.contains(SETTINGS)
        ? Optional.of(SettingsReference.of(type).text())
        : Optional.empty();
  }

  private String help() {
    return usage
        + "\nSettings that have no default (--settings prints all):\n"
        + SettingsReference.of(type).required();
  }

  private void serve(C config, PrintStream terminal) throws Exception {
    Lifecycle lifecycle = new Lifecycle(STOP_BOUND);
    lifecycle.stopOnSignal();
    try {
      start.start(config, lifecycle, terminal);
    } catch (Exception | Error e) {
      lifecycle.close();
      throw e;
    }
    lifecycle.awaitStopped();
  }

  /// The message for the operator; the log holds the details of unexpected failures.
  private static String sentence(Exception failure) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (cause instanceof CannotStartException expected) {
        return String.valueOf(expected.getMessage());
      }
    }
    LOG.error("the process failed", failure);
    return "failed; the log has the full error: " + failure;
  }
}
