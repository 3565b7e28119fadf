package io.headgate.deploy.e2e;

import io.grpc.Channel;
import io.grpc.ManagedChannel;
import io.headgate.kit.auth.JwksKeySource;
import io.headgate.kit.auth.TokenRules;
import io.headgate.kit.auth.TokenVerifier;
import io.headgate.kit.client.Channels;
import io.headgate.kit.client.TokenSource;
import io.headgate.kit.config.Secret;
import io.headgate.kit.db.DatabaseConfig;
import io.headgate.kit.grpc.ApiServer;
import io.headgate.kit.grpc.ApiServerConfig;
import io.headgate.kit.telemetry.Telemetry;
import io.headgate.kit.testing.TestChannels;
import io.headgate.kit.time.TimeSource;
import io.headgate.policy.PolicyService;
import io.headgate.policy.PolicyServiceConfig;
import io.headgate.pool.PoolService;
import io.headgate.pool.PoolServiceConfig;
import io.headgate.proto.policy.v1.ExchangeKeyRequest;
import io.headgate.proto.policy.v1.GetVerificationKeysRequest;
import io.headgate.proto.policy.v1.TokenServiceGrpc;
import io.headgate.scheduler.SchedulerConfig;
import io.headgate.scheduler.SchedulerService;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/// The three services as processes would be: each with a server, a database and a death of its own.
/// A service that died starts again at the same address.
final class SeparateServices implements ChangingTenant.Services, AutoCloseable {
  /// The machine's clock, ahead by the time that a test lets pass.
  private static final class ShiftedTime implements TimeSource {
    private final AtomicReference<Duration> ahead = new AtomicReference<>(Duration.ZERO);

    @Override
    public Instant instant() {
      return TimeSource.system().instant().plus(ahead.get());
    }

    @Override
    public long monotonicNanos() {
      return TimeSource.system().monotonicNanos();
    }
  }

  /// The databases of the services.
  record Databases(DatabaseConfig policy, DatabaseConfig pool, DatabaseConfig scheduler) {}

  private final Databases databases;
  private final Path secrets;
  private final ShiftedTime time = new ShiftedTime();
  private final URI policyUri = freeAddress();
  private final URI poolUri = freeAddress();
  private final URI schedulerUri = freeAddress();
  private final List<ManagedChannel> channels = new ArrayList<>();
  private @Nullable PolicyService policy;
  private @Nullable PoolService pool;
  private @Nullable SchedulerService scheduler;
  private @Nullable ApiServer policyServer;
  private @Nullable ApiServer poolServer;
  private @Nullable ApiServer schedulerServer;
  private @Nullable Secret adminKey;
  private @Nullable Secret schedulerKey;

  SeparateServices(Databases databases, Path secrets) {
    this.databases = databases;
    this.secrets = secrets;
  }

  SeparateServices start() {
    startPolicy(io.headgate.policy.runtime.ChangeFailpoint.Handler.NONE);
    startPool(io.headgate.pool.runtime.ChangeFailpoint.Handler.NONE);
    schedulerKey = policy().createKey("services/scheduler", "test");
    startScheduler();
    return this;
  }

  void startPolicy(io.headgate.policy.runtime.ChangeFailpoint.Handler failpoints) {
    PolicyService service =
        new PolicyService(
            PolicyServiceConfig.of(databases.policy(), TestChannels.patient(poolUri), secrets),
            Telemetry.disabled(),
            time,
            failpoints);
    service.ensureAdminKey(key -> adminKey = key);
    ApiServer.Builder api = api(policyUri).authentication(service.verifier());
    service.register(api);
    policyServer = started(api);
    service.start();
    policy = service;
  }

  void killPolicy() {
    required(policyServer).close();
    policy().close();
  }

  void startPool(io.headgate.pool.runtime.ChangeFailpoint.Handler failpoints) {
    PoolService service =
        PoolService.open(
            PoolServiceConfig.of(databases.pool(), secrets.resolve("pool")),
            Telemetry.disabled(),
            time,
            failpoints);
    ApiServer.Builder api = api(poolUri).authentication(verifier());
    service.register(api);
    poolServer = started(api);
    service.start();
    pool = service;
  }

  void killPool() {
    required(poolServer).close();
    required(pool).close();
  }

  void startScheduler() {
    SchedulerService service =
        new SchedulerService(
            SchedulerConfig.of(
                databases.scheduler(),
                secrets.resolve("scheduler"),
                schedulerUri.getHost() + ":" + schedulerUri.getPort(),
                TestChannels.patient(poolUri),
                TestChannels.patient(policyUri),
                required(schedulerKey)),
            Telemetry.disabled(),
            time);
    ApiServer.Builder api = api(schedulerUri).authentication(verifier());
    service.register(api);
    schedulerServer = started(api);
    service.start();
    scheduler = service;
  }

  void killScheduler() {
    required(scheduler).stop();
    required(schedulerServer).close();
    required(scheduler).close();
  }

  /// Lets the wall clocks of all services go ahead.
  void pass(Duration duration) {
    time.ahead.updateAndGet(duration::plus);
  }

  void ensureTenant(String tenant) {
    policy().ensureTenant(tenant);
  }

  /// A token of the operator; policy-service must run.
  String operator() {
    return TokenServiceGrpc.newBlockingStub(open(policyUri, TokenSource.anonymous()))
        .exchangeKey(ExchangeKeyRequest.newBuilder().setKey(required(adminKey).reveal()).build())
        .getToken();
  }

  @Override
  public Channel policy(String token) {
    return open(policyUri, () -> Optional.of(token));
  }

  @Override
  public Channel pool(String token) {
    return open(poolUri, () -> Optional.of(token));
  }

  @Override
  public Channel scheduler(String token) {
    return open(schedulerUri, () -> Optional.of(token));
  }

  private Channel open(URI uri, TokenSource tokens) {
    ManagedChannel channel = Channels.open(TestChannels.patient(uri), tokens, Telemetry.disabled());
    channels.add(channel);
    return channel;
  }

  private TokenVerifier verifier() {
    TokenServiceGrpc.TokenServiceBlockingStub issuer =
        TokenServiceGrpc.newBlockingStub(open(policyUri, TokenSource.anonymous()));
    return new TokenVerifier(
        TokenRules.DEFAULTS,
        new JwksKeySource(
            () ->
                issuer
                    .getVerificationKeys(GetVerificationKeysRequest.getDefaultInstance())
                    .getJwksJson(),
            time),
        time);
  }

  private static ApiServer.Builder api(URI uri) {
    return ApiServer.builder(
        ApiServerConfig.of(uri.getHost(), uri.getPort()), Telemetry.disabled());
  }

  private static ApiServer started(ApiServer.Builder api) {
    ApiServer server = api.build();
    server.start();
    return server;
  }

  private static URI freeAddress() {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return URI.create("http://127.0.0.1:" + socket.getLocalPort());
    } catch (IOException e) {
      throw new IllegalStateException("no free port", e);
    }
  }

  private PolicyService policy() {
    return required(policy);
  }

  private static <T> T required(@Nullable T value) {
    if (value == null) {
      throw new IllegalStateException("it has not started");
    }
    return value;
  }

  @Override
  public void close() {
    channels.forEach(ManagedChannel::shutdownNow);
    killScheduler();
    killPool();
    killPolicy();
  }
}
