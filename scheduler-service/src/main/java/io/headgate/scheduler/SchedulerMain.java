package io.headgate.scheduler;

import io.grpc.ManagedChannel;
import io.headgate.kit.auth.JwksKeySource;
import io.headgate.kit.auth.TokenRules;
import io.headgate.kit.auth.TokenVerifier;
import io.headgate.kit.client.Channels;
import io.headgate.kit.client.TokenSource;
import io.headgate.kit.grpc.ApiServer;
import io.headgate.kit.grpc.ApiServerConfig;
import io.headgate.kit.lifecycle.Lifecycle;
import io.headgate.kit.process.ServiceProcess;
import io.headgate.kit.telemetry.Telemetry;
import io.headgate.kit.telemetry.TelemetryConfig;
import io.headgate.kit.time.TimeSource;
import io.headgate.proto.policy.v1.GetVerificationKeysRequest;
import io.headgate.proto.policy.v1.TokenServiceGrpc;
import java.io.PrintStream;

/// Runs one scheduler as a process of its own: `[CONFIG_FILE]`. It serves until it is stopped by
/// SIGTERM or SIGINT.
public final class SchedulerMain {
  private static final String USAGE =
      """
      usage: scheduler-service [CONFIG_FILE]

      Takes jobs and decides who runs, where, on which slice. Keys of the file, each also as a
      variable HEADGATE_... that wins (scheduler.service-key: HEADGATE_SCHEDULER_SERVICE_KEY):
        scheduler.database.url, .user, .password, .schema   PostgreSQL; the schema is scheduler
        scheduler.replica                    its name among the schedulers of the installation
        scheduler.advertised-address         where clients and agents reach it, host:port
        scheduler.pools.server               pool-service, http://host:port
        scheduler.policies.server            policy-service, http://host:port
        scheduler.service-key                key of services/scheduler; policy-service makes it with
                                             --create-key services/scheduler
        scheduler.group.address              where the other schedulers reach it, ip:port of a
                                             private interface; for several schedulers
        scheduler.group.advertised-address   the same as they see it, if a network maps it
        scheduler.group.members              host:port of all of them
        scheduler.may-lead                   false: a door that never leads; true
        scheduler.placement                  how places are chosen: tightest-fit (the default),
                                             fgd or rfp
        scheduler.history.keep               how long jobs that are over, and events, can be read; 90d
        api.host, api.port                   where to serve; 127.0.0.1 and 7400
        scheduler.leading, .bounds, .watches, api, telemetry   times, limits and more

      Exit status: 0 stopped, 1 not started, 2 wrong arguments or configuration.
      """;

  static final ServiceProcess<Config> PROCESS =
      new ServiceProcess<>(Config.class, USAGE, SchedulerMain::start);

  private SchedulerMain() {}

  /// The process's whole configuration.
  record Config(ApiServerConfig api, TelemetryConfig telemetry, SchedulerConfig scheduler) {}

  public static void main(String[] arguments) throws InterruptedException {
    PROCESS.main(arguments);
  }

  private static void start(Config config, Lifecycle lifecycle, PrintStream terminal) {
    String version = ServiceProcess.version(SchedulerMain.class);
    TimeSource time = TimeSource.system();
    Telemetry telemetry =
        lifecycle.own(
            "telemetry", Telemetry.start(config.telemetry(), "headgate-scheduler", version));
    ManagedChannel keys =
        Channels.open(config.scheduler().policies(), TokenSource.anonymous(), telemetry);
    lifecycle.own("verification keys", () -> Channels.close(keys));
    SchedulerService service =
        lifecycle.own("connections", new SchedulerService(config.scheduler(), telemetry, time));
    // The server stops after the service, so that accepted calls are still answered. It stops
    // before its connections, so that those answers can be read.
    ApiServer.Builder api =
        ApiServer.builder(config.api(), telemetry).authentication(verifier(keys, time));
    service.register(api);
    ApiServer server = api.build();
    lifecycle.start("api", server::start, server::close);
    lifecycle.start("scheduler", service::start, service::stop);
    server.health().set("", true);
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
