package io.headgate.scheduler;

import io.grpc.ManagedChannel;
import io.headgate.kit.auth.JwksKeySource;
import io.headgate.kit.auth.TokenRules;
import io.headgate.kit.auth.TokenVerifier;
import io.headgate.kit.client.Channels;
import io.headgate.kit.client.TokenSource;
import io.headgate.kit.config.ConfigLoader;
import io.headgate.kit.grpc.ApiServer;
import io.headgate.kit.grpc.ApiServerConfig;
import io.headgate.kit.lifecycle.Lifecycle;
import io.headgate.kit.telemetry.Telemetry;
import io.headgate.kit.telemetry.TelemetryConfig;
import io.headgate.kit.time.TimeSource;
import io.headgate.proto.policy.v1.GetVerificationKeysRequest;
import io.headgate.proto.policy.v1.TokenServiceGrpc;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/// One scheduler process: `SchedulerMain CONFIG_FILE`.
public final class SchedulerMain {
  private static final String VERSION = "0.1.0";
  private static final Duration STOP_BOUND = Duration.ofSeconds(30);

  private SchedulerMain() {}

  /// The process's whole configuration.
  record Config(ApiServerConfig api, TelemetryConfig telemetry, SchedulerConfig scheduler) {}

  /// Runs until it is told to stop.
  public static void main(String[] arguments) throws Exception {
    if (arguments.length > 1) {
      throw new IllegalArgumentException("usage: SchedulerMain [CONFIG_FILE]");
    }
    Optional<Path> file =
        arguments.length == 0 ? Optional.empty() : Optional.of(Path.of(arguments[0]));
    Config config = ConfigLoader.load(Config.class, file, System.getenv());
    TimeSource time = TimeSource.system();
    Lifecycle lifecycle = new Lifecycle(STOP_BOUND);
    lifecycle.stopOnSignal();
    Telemetry telemetry =
        lifecycle.own(
            "telemetry", Telemetry.start(config.telemetry(), "headgate-scheduler", VERSION));
    ManagedChannel keys =
        Channels.open(config.scheduler().policies(), TokenSource.anonymous(), telemetry);
    lifecycle.start("verification keys", () -> {}, () -> Channels.close(keys));
    SchedulerService service = new SchedulerService(config.scheduler(), telemetry, time);
    // The server stops after the service, so that what was taken is still answered.
    ApiServer.Builder api =
        ApiServer.builder(config.api(), telemetry).authentication(verifier(keys, time));
    service.register(api);
    ApiServer server = api.build();
    lifecycle.start("api", server::start, server::close);
    lifecycle.start("scheduler", service::start, service::close);
    server.health().set("", true);
    lifecycle.awaitStopped();
  }

  private static TokenVerifier verifier(ManagedChannel policyService, TimeSource time) {
    return new TokenVerifier(
        TokenRules.DEFAULTS,
        new JwksKeySource(
            () ->
                TokenServiceGrpc.newBlockingStub(policyService)
                    .getVerificationKeys(GetVerificationKeysRequest.getDefaultInstance())
                    .getJwksJson(),
            time),
        time);
  }
}
