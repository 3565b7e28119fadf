package io.headgate.pool;

import io.grpc.ManagedChannel;
import io.headgate.kit.auth.JwksKeySource;
import io.headgate.kit.auth.TokenRules;
import io.headgate.kit.auth.TokenVerifier;
import io.headgate.kit.client.ChannelConfig;
import io.headgate.kit.client.Channels;
import io.headgate.kit.client.TokenSource;
import io.headgate.kit.grpc.ApiServer;
import io.headgate.kit.grpc.ApiServerConfig;
import io.headgate.kit.lifecycle.Lifecycle;
import io.headgate.kit.process.ServiceProcess;
import io.headgate.kit.telemetry.Telemetry;
import io.headgate.kit.telemetry.TelemetryConfig;
import io.headgate.kit.time.TimeSource;
import io.headgate.pool.client.VerificationKeys;
import java.io.PrintStream;

/// Runs pool-service as its own process: `[CONFIG_FILE]`. It serves until SIGTERM or SIGINT.
public final class PoolServiceMain {
  private static final String USAGE =
      """
      usage: pool-service [CONFIG_FILE]

      Serves pools, profiles, nodes and their configurations. Keys of the file, each also as a
      variable HEADGATE_... that wins (pool.database.url: HEADGATE_POOL_DATABASE_URL):
        pool.database.url, .user, .password, .schema   PostgreSQL; the schema is pool
        policy.server                         issuer of the tokens to accept, http://host:port
        api.host, api.port                    where to serve; 127.0.0.1 and 7400
        pool.watch, pool.catalog-log, api, telemetry   limits and more

      Exit status: 0 stopped, 1 not started, 2 wrong arguments or configuration.
      """;

  static final ServiceProcess<Config> PROCESS =
      new ServiceProcess<>(Config.class, USAGE, PoolServiceMain::start);

  private PoolServiceMain() {}

  /// The configuration of the process.
  ///
  /// @param policy the server that issues tokens
  record Config(
      ApiServerConfig api,
      TelemetryConfig telemetry,
      PoolServiceConfig pool,
      ChannelConfig policy) {}

  public static void main(String[] arguments) throws InterruptedException {
    PROCESS.main(arguments);
  }

  private static void start(Config config, Lifecycle lifecycle, PrintStream terminal) {
    String version = ServiceProcess.version(PoolServiceMain.class);
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
