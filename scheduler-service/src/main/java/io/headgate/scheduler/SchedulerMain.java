package io.headgate.scheduler;

import io.grpc.ManagedChannel;
import io.headgate.kit.auth.JwksKeySource;
import io.headgate.kit.auth.RevocationWatch;
import io.headgate.kit.auth.Revocations;
import io.headgate.kit.auth.TokenRules;
import io.headgate.kit.auth.TokenVerifier;
import io.headgate.kit.client.Channels;
import io.headgate.kit.client.RenewedTokens;
import io.headgate.kit.client.TokenSource;
import io.headgate.kit.config.Setting;
import io.headgate.kit.db.EncryptionKeyCommands;
import io.headgate.kit.grpc.ApiServer;
import io.headgate.kit.grpc.ApiServerConfig;
import io.headgate.kit.lifecycle.Lifecycle;
import io.headgate.kit.process.ServiceProcess;
import io.headgate.kit.telemetry.Telemetry;
import io.headgate.kit.telemetry.TelemetryConfig;
import io.headgate.kit.time.TimeSource;
import io.headgate.proto.policy.v1.GetVerificationKeysRequest;
import io.headgate.proto.policy.v1.TokenServiceGrpc;
import io.headgate.scheduler.client.KeyExchange;
import io.headgate.scheduler.client.RevocationStream;
import java.io.PrintStream;

/// Runs one scheduler as a process of its own: `[CONFIG_FILE] [COMMAND]`. Without a command it
/// serves until it is stopped by SIGTERM or SIGINT.
public final class SchedulerMain {
  private static final String USAGE =
      """
      usage: scheduler-service [CONFIG_FILE] [COMMAND]
             scheduler-service --settings

      Takes jobs and decides which job runs, where, and on which slice. Settings come from the
      YAML file and from variables, which win: HEADGATE_SCHEDULER_REPLICA is scheduler.replica.
      Without a command it serves.
      Commands, for the operator of this machine:
        --prepare-encryption-key  put a new key-encryption key into the file, to be copied first
        --rotate-encryption-key   put a new key-encryption key into force while the service runs
        --replace-encryption-key  give up what a lost key-encryption key sealed

      Exit status: 0 stopped or done, 1 not started or not done, 2 wrong arguments or configuration.
      """;

  static final ServiceProcess<Config> PROCESS =
      EncryptionKeyCommands.addTo(
          new ServiceProcess<>(Config.class, USAGE, SchedulerMain::start),
          SchedulerMain::encryptionKey);

  private SchedulerMain() {}

  /// The process's whole configuration.
  record Config(
      @Setting(meaning = "Address and limits of the API.") ApiServerConfig api,
      @Setting(meaning = "Receivers of metrics, traces and logs.") TelemetryConfig telemetry,
      @Setting(meaning = "The scheduler itself.") SchedulerConfig scheduler) {}

  public static void main(String[] arguments) throws InterruptedException {
    PROCESS.main(arguments);
  }

  private static EncryptionKeyCommands encryptionKey(Config config) {
    return SchedulerService.encryptionKey(
        config.scheduler().database(), config.scheduler().secretsDirectory());
  }

  private static void start(Config config, Lifecycle lifecycle, PrintStream terminal) {
    start(config, lifecycle, SchedulerService::new);
  }

  /// Makes the service; measurements make it of other parts.
  interface Maker {
    SchedulerService of(SchedulerConfig config, Telemetry telemetry, TimeSource time);
  }

  static void start(Config config, Lifecycle lifecycle, Maker maker) {
    String version = ServiceProcess.version(SchedulerMain.class);
    TimeSource time = TimeSource.system();
    Telemetry telemetry =
        lifecycle.own(
            "telemetry", Telemetry.start(config.telemetry(), "headgate-scheduler", version));
    ManagedChannel keys =
        Channels.open(config.scheduler().policies(), TokenSource.anonymous(), telemetry);
    lifecycle.own("verification keys", () -> Channels.close(keys));
    ManagedChannel asService =
        Channels.open(
            config.scheduler().policies(),
            new RenewedTokens(new KeyExchange(keys, config.scheduler().serviceKey()), time),
            telemetry);
    lifecycle.own("channel as a service", () -> Channels.close(asService));
    Revocations revocations = Revocations.followed(time);
    lifecycle.own(
        "watch of revocations",
        RevocationWatch.start(new RevocationStream(asService), revocations));
    SchedulerService service =
        lifecycle.own("connections", maker.of(config.scheduler(), telemetry, time));
    // The server stops after the service, so that accepted calls are still answered. It stops
    // before its connections, so that those answers can be read.
    ApiServer.Builder api =
        ApiServer.builder(config.api(), telemetry)
            .authentication(verifier(keys, time, revocations));
    service.register(api);
    ApiServer server = api.build();
    lifecycle.start("api", server::start, server::close);
    lifecycle.start("scheduler", service::start, service::stop);
    server.health().set("", true);
  }

  private static TokenVerifier verifier(
      ManagedChannel policyService, TimeSource time, Revocations revocations) {
    return new TokenVerifier(
        TokenRules.DEFAULTS,
        new JwksKeySource(
            () ->
                TokenServiceGrpc.newBlockingStub(policyService)
                    .getVerificationKeys(GetVerificationKeysRequest.getDefaultInstance())
                    .getJwksJson(),
            time),
        time,
        revocations);
  }
}
