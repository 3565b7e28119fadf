package io.headgate.kit.process;

import io.headgate.kit.config.ConfigException;
import io.headgate.kit.config.ConfigLoader;
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

/// Runs a service as a process of its own: `[CONFIG_FILE] [COMMAND OPERAND…]`. Without a command it
/// serves until SIGTERM or SIGINT stops it; a command does one thing for the operator of the
/// machine and ends. What people must know is one sentence on standard error.
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
  /// Stopped when told to, or the command is done.
  public static final int EXIT_DONE = 0;

  /// Could not start, or the command could not be done.
  public static final int EXIT_FAILED = 1;

  /// Wrong arguments or configuration.
  public static final int EXIT_USAGE = 2;

  private static final Logger LOG = LoggerFactory.getLogger(ServiceProcess.class);
  private static final Duration STOP_BOUND = Duration.ofSeconds(30);

  private final Class<C> type;
  private final String usage;
  private final Start<C> start;
  private final Map<String, Command<C>> commands = new LinkedHashMap<>();

  /// Starts the parts of a service.
  @FunctionalInterface
  public interface Start<C> {
    /// Returns when the service serves; the parts belong to `lifecycle`, also if this fails.
    ///
    /// @param terminal for what people must read; the log goes elsewhere
    void start(C config, Lifecycle lifecycle, PrintStream terminal) throws Exception;
  }

  /// What a command does.
  @FunctionalInterface
  public interface Action<C> {
    /// Does it, before it returns.
    ///
    /// @param operands as many as the command takes
    void run(C config, List<String> operands, PrintStream terminal) throws Exception;
  }

  private record Command<C>(int operands, Action<C> action) {}

  /// @param usage what `--help` says; it ends with a line end
  public ServiceProcess(Class<C> type, String usage, Start<C> start) {
    this.type = type;
    this.usage = usage;
    this.start = start;
  }

  /// Adds a command. For the composition root, before it runs.
  ///
  /// @param name begins with two hyphens
  /// @param operands how many words follow it
  public ServiceProcess<C> command(String name, int operands, Action<C> action) {
    commands.put(name, new Command<>(operands, action));
    return this;
  }

  /// The version of the jar that `main` came in; `development` outside of one.
  public static String version(Class<?> main) {
    return Optional.ofNullable(main.getPackage().getImplementationVersion()).orElse("development");
  }

  /// Runs until stopped, and ends the process with another status than 0 if that failed.
  public void main(String[] arguments) throws InterruptedException {
    PrintStream terminal =
        new PrintStream(new FileOutputStream(FileDescriptor.err), true, StandardCharsets.UTF_8);
    int status = run(List.of(arguments), System.getenv(), terminal);
    if (status != EXIT_DONE) {
      // Threads of what was half started must not keep the process alive.
      System.exit(status);
    }
  }

  /// Runs until stopped; the exit status.
  public int run(List<String> arguments, Map<String, String> environment, PrintStream terminal)
      throws InterruptedException {
    if (arguments.contains("--help") || arguments.contains("-h")) {
      terminal.print(usage);
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
      terminal.print(usage);
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

  /// What the person is told; of what nobody expected the log has the rest.
  private static String sentence(Exception failure) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (cause instanceof CannotStartException expected) {
        return String.valueOf(expected.getMessage());
      }
    }
    LOG.error("the process failed", failure);
    return "failed, as the log says in full: " + failure;
  }
}
