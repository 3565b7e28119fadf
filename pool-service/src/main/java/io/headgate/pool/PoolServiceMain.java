package io.headgate.pool;

import io.grpc.ManagedChannel;
import io.headgate.kit.auth.JwksKeySource;
import io.headgate.kit.auth.TokenRules;
import io.headgate.kit.auth.TokenVerifier;
import io.headgate.kit.client.ChannelConfig;
import io.headgate.kit.client.Channels;
import io.headgate.kit.client.TokenSource;
import io.headgate.kit.config.ConfigException;
import io.headgate.kit.config.ConfigLoader;
import io.headgate.kit.db.DatabaseUnreachableException;
import io.headgate.kit.db.UnsafeDurabilityException;
import io.headgate.kit.grpc.ApiServer;
import io.headgate.kit.grpc.ApiServerConfig;
import io.headgate.kit.lifecycle.Lifecycle;
import io.headgate.kit.telemetry.Telemetry;
import io.headgate.kit.telemetry.TelemetryConfig;
import io.headgate.kit.time.TimeSource;
import io.headgate.pool.client.VerificationKeys;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// Runs pool-service as a process of its own: `[CONFIG_FILE]`. It serves until it is stopped by
/// SIGTERM or SIGINT.
public final class PoolServiceMain {
  static final int EXIT_STOPPED = 0;
  static final int EXIT_NOT_STARTED = 1;
  static final int EXIT_USAGE = 2;

  private static final Duration STOP_BOUND = Duration.ofSeconds(30);
  private static final String USAGE =
      """
      usage: pool-service [CONFIG_FILE]

      Serves pools, profiles, nodes and their configurations. Keys of the file, each also as a
      variable HEADGATE_... that wins (pool.database.url: HEADGATE_POOL_DATABASE_URL):
        pool.database.url, .user, .password   PostgreSQL; the schema is pool
        policy.server                         issuer of the tokens to accept, http://host:port
        api.host, api.port                    where to serve; 127.0.0.1 and 7400
        pool.watch, pool.catalog-log, api, telemetry   limits and more

      Exit status: 0 stopped, 1 not started, 2 wrong arguments or configuration.
      """;

  private PoolServiceMain() {}

  /// What the process is configured by.
  ///
  /// @param policy the server that issues tokens
  record Config(
      ApiServerConfig api,
      TelemetryConfig telemetry,
      PoolServiceConfig pool,
      ChannelConfig policy) {}

  public static void main(String[] arguments) throws InterruptedException {
    PrintStream terminal =
        new PrintStream(new FileOutputStream(FileDescriptor.err), true, StandardCharsets.UTF_8);
    int status = run(List.of(arguments), System.getenv(), terminal);
    if (status != EXIT_STOPPED) {
      System.exit(status);
    }
  }

  /// Runs until stopped; the exit status.
  ///
  /// @param terminal for what people must read; the log goes elsewhere
  static int run(List<String> arguments, Map<String, String> environment, PrintStream terminal)
      throws InterruptedException {
    if (arguments.equals(List.of("--help")) || arguments.equals(List.of("-h"))) {
      terminal.print(USAGE);
      return EXIT_STOPPED;
    }
    if (arguments.size() > 1 || arguments.stream().anyMatch(word -> word.startsWith("-"))) {
      terminal.print(USAGE);
      return EXIT_USAGE;
    }
    Config config;
    try {
      config =
          ConfigLoader.load(
              Config.class, arguments.stream().findFirst().map(Path::of), environment);
    } catch (ConfigException e) {
      terminal.println(e.getMessage());
      return EXIT_USAGE;
    }
    try {
      serve(config);
      return EXIT_STOPPED;
    } catch (DatabaseUnreachableException e) {
      terminal.println(e.getMessage() + "; start the database, or set pool.database.url");
      return EXIT_NOT_STARTED;
    } catch (UnsafeDurabilityException e) {
      terminal.println(e.getMessage());
      return EXIT_NOT_STARTED;
    }
  }

  private static void serve(Config config) throws InterruptedException {
    Lifecycle lifecycle = new Lifecycle(STOP_BOUND);
    lifecycle.stopOnSignal();
    try {
      start(config, lifecycle);
    } catch (RuntimeException | Error e) {
      lifecycle.close();
      throw e;
    }
    lifecycle.awaitStopped();
  }

  private static void start(Config config, Lifecycle lifecycle) {
    String version =
        Optional.ofNullable(PoolServiceMain.class.getPackage().getImplementationVersion())
            .orElse("development");
    Telemetry telemetry =
        lifecycle.own("telemetry", Telemetry.start(config.telemetry(), "headgate-pool", version));
    ManagedChannel policy = Channels.open(config.policy(), TokenSource.anonymous(), telemetry);
    lifecycle.own("channel to policy", () -> Channels.close(policy));
    TimeSource time = TimeSource.system();
    PoolService service = lifecycle.own("pool", PoolService.open(config.pool(), telemetry, time));
    ApiServer.Builder api =
        ApiServer.builder(config.api(), telemetry)
            .authentication(
                new TokenVerifier(
                    TokenRules.DEFAULTS,
                    new JwksKeySource(new VerificationKeys(policy), time),
                    time));
    service.register(api);
    ApiServer server = api.build();
    lifecycle.start("api", server::start, server::close);
    service.start();
    server.health().set("", true);
  }
}
