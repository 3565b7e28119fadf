package io.headgate.pool;

import io.grpc.ManagedChannel;
import io.headgate.kit.auth.JwksKeySource;
import io.headgate.kit.auth.RevocationWatch;
import io.headgate.kit.auth.Revocations;
import io.headgate.kit.auth.TokenRules;
import io.headgate.kit.auth.TokenVerifier;
import io.headgate.kit.client.ChannelConfig;
import io.headgate.kit.client.Channels;
import io.headgate.kit.client.RenewedTokens;
import io.headgate.kit.client.TokenSource;
import io.headgate.kit.config.Secret;
import io.headgate.kit.config.Setting;
import io.headgate.kit.db.EncryptionKeyCommands;
import io.headgate.kit.grpc.ApiServer;
import io.headgate.kit.grpc.ApiServerConfig;
import io.headgate.kit.lifecycle.Lifecycle;
import io.headgate.kit.process.ServiceProcess;
import io.headgate.kit.telemetry.Telemetry;
import io.headgate.kit.telemetry.TelemetryConfig;
import io.headgate.kit.time.TimeSource;
import io.headgate.pool.client.KeyExchange;
import io.headgate.pool.client.RevocationStream;
import io.headgate.pool.client.VerificationKeys;
import io.headgate.pool.runtime.ChangeFailpoint;

/// Runs pool-service as its own process: `[CONFIG_FILE] [COMMAND]`. Without a command it serves
/// until SIGTERM or SIGINT.
public final class PoolServiceMain {
  private static final String USAGE =
      """
      usage: pool-service [CONFIG_FILE] [COMMAND]
             pool-service --settings

      Serves pools, profiles, nodes and their configurations. Settings come from the YAML file and
      from variables, which win: HEADGATE_POOL_DATABASE_URL is pool.database.url. Without a command
      it serves.
      Commands, for the operator of this machine:
        --prepare-encryption-key  put a new key-encryption key into the file, to be copied first
        --rotate-encryption-key   put a new key-encryption key into force while the service runs
        --replace-encryption-key  give up what a lost key-encryption key sealed

      Exit status: 0 stopped or done, 1 not started or not done, 2 wrong arguments or configuration.
      """;

  static final ServiceProcess<Config> PROCESS = process(ChangeFailpoint.Handler.NONE);

  private PoolServiceMain() {}

  /// The configuration of the process.
  record Config(
      @Setting(meaning = "Address and limits of the API.") ApiServerConfig api,
      @Setting(meaning = "Receivers of metrics, traces and logs.") TelemetryConfig telemetry,
      @Setting(meaning = "Pools, profiles and nodes.") PoolServiceConfig pool,
      @Setting(
              meaning =
                  "Connection to policy-service, which issues the tokens that "
                      + "callers present.")
          ChannelConfig policy,
      @Setting(
              meaning =
                  "Key of `services/pool`, to follow revocations. "
                      + "`policy-service --create-key services/pool` makes it.")
          Secret serviceKey) {}

  public static void main(String[] arguments) throws InterruptedException {
    PROCESS.main(arguments);
  }

  private static EncryptionKeyCommands encryptionKey(Config config) {
    return PoolService.encryptionKey(config.pool().database(), config.pool().secretsDirectory());
  }

  /// With failpoints, for tests.
  public static void main(String[] arguments, ChangeFailpoint.Handler failpoints)
      throws InterruptedException {
    process(failpoints).main(arguments);
  }

  private static ServiceProcess<Config> process(ChangeFailpoint.Handler failpoints) {
    return EncryptionKeyCommands.addTo(
        new ServiceProcess<>(
            Config.class, USAGE, (config, lifecycle, _) -> start(config, lifecycle, failpoints)),
        PoolServiceMain::encryptionKey);
  }

  private static void start(
      Config config, Lifecycle lifecycle, ChangeFailpoint.Handler failpoints) {
    String version = ServiceProcess.version(PoolServiceMain.class);
    Telemetry telemetry =
        lifecycle.own("telemetry", Telemetry.start(config.telemetry(), "headgate-pool", version));
    ManagedChannel policy = Channels.open(config.policy(), TokenSource.anonymous(), telemetry);
    lifecycle.own("channel to policy", () -> Channels.close(policy));
    TimeSource time = TimeSource.system();
    ManagedChannel asService =
        Channels.open(
            config.policy(),
            new RenewedTokens(new KeyExchange(policy, config.serviceKey()), time),
            telemetry);
    lifecycle.own("channel as a service", () -> Channels.close(asService));
    Revocations revocations = Revocations.followed(time);
    lifecycle.own(
        "watch of revocations",
        RevocationWatch.start(new RevocationStream(asService), revocations));
    PoolService service =
        lifecycle.own("pool", PoolService.open(config.pool(), telemetry, time, failpoints));
    ApiServer.Builder api =
        ApiServer.builder(config.api(), telemetry)
            .authentication(
                new TokenVerifier(
                    TokenRules.DEFAULTS,
                    new JwksKeySource(new VerificationKeys(policy), time),
                    time,
                    revocations));
    service.register(api);
    ApiServer server = api.build();
    lifecycle.start("api", server::start, server::close);
    service.start();
    server.health().set("", true);
  }
}
