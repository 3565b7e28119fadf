package io.headgate.policy;

import io.grpc.Channel;
import io.grpc.ClientInterceptors;
import io.grpc.ManagedChannel;
import io.grpc.ServerServiceDefinition;
import io.headgate.kit.client.Channels;
import io.headgate.kit.client.TokenSource;
import io.headgate.kit.config.Secret;
import io.headgate.kit.db.DatabaseConfig;
import io.headgate.kit.failure.GrpcFailures;
import io.headgate.kit.failure.Refusal;
import io.headgate.kit.grpc.ApiServer;
import io.headgate.kit.grpc.ApiServerConfig;
import io.headgate.kit.telemetry.Telemetry;
import io.headgate.kit.testing.ErrorConformance;
import io.headgate.kit.testing.PostgresFixture;
import io.headgate.kit.testing.TestChannels;
import io.headgate.kit.testing.TestClock;
import io.headgate.proto.policy.v1.CreateKeyRequest;
import io.headgate.proto.policy.v1.CreateTenantRequest;
import io.headgate.proto.policy.v1.CreateUserRequest;
import io.headgate.proto.policy.v1.ExchangeKeyRequest;
import io.headgate.proto.policy.v1.GetVerificationKeysRequest;
import io.headgate.proto.policy.v1.Tenant;
import io.headgate.proto.policy.v1.TenantServiceGrpc;
import io.headgate.proto.policy.v1.TokenServiceGrpc;
import io.headgate.proto.policy.v1.TokenServiceGrpc.TokenServiceBlockingStub;
import io.headgate.proto.policy.v1.User;
import io.headgate.proto.policy.v1.UserServiceGrpc;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.assertj.core.api.Assertions;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/// The real service on a free port, over a real database, with real keys and tokens and a clock of
/// the test's. Register it after the {@link PostgresFixture}.
final class PolicyFixture implements BeforeAllCallback, AfterEachCallback, AfterAllCallback {
  private static final AtomicInteger NUMBER = new AtomicInteger();

  private final PostgresFixture postgres;
  private final TestClock clock = new TestClock();
  private final ErrorConformance conformance = new ErrorConformance();
  private final List<ManagedChannel> channels = new CopyOnWriteArrayList<>();
  private final List<Secret> adminKeys = new ArrayList<>();
  private @Nullable Running running;
  private @Nullable Path secrets;

  private record Running(FakePools pools, PolicyService service, ApiServer server) {}

  private PolicyFixture(PostgresFixture postgres) {
    this.postgres = postgres;
  }

  static PolicyFixture of(PostgresFixture postgres) {
    return new PolicyFixture(postgres);
  }

  TestClock clock() {
    return clock;
  }

  FakePools pools() {
    return running().pools();
  }

  URI uri() {
    return running().server().uri();
  }

  PolicyService service() {
    return running().service();
  }

  /// The gRPC services of its server.
  List<ServerServiceDefinition> services() {
    return running().server().services();
  }

  ErrorConformance conformance() {
    return conformance;
  }

  Path secrets() {
    if (secrets == null) {
      throw new IllegalStateException("used outside of the test class");
    }
    return secrets;
  }

  /// The admin keys that starts of the service handed out.
  List<Secret> adminKeys() {
    return adminKeys;
  }

  /// Stops the service and starts it again on the same database and secrets.
  void restart() {
    stop();
    start(postgres.config());
  }

  Channel anonymous() {
    return open(TokenSource.anonymous());
  }

  Channel channel(String token) {
    return open(() -> Optional.of(token));
  }

  /// A channel with the rights of `operators/root`.
  Channel operator() {
    String key = adminKeys.getLast().reveal();
    return open(() -> Optional.of(exchange(key)));
  }

  /// With the rights of `owner`, which must exist.
  Channel as(String owner) {
    String key = key(owner);
    return open(() -> Optional.of(exchange(key)));
  }

  /// A new key of `owner`, made by the operator.
  String key(String owner) {
    return TokenServiceGrpc.newBlockingStub(operator())
        .createKey(CreateKeyRequest.newBuilder().setOwner(owner).build())
        .getSecret();
  }

  String exchange(String key) {
    TokenServiceBlockingStub tokens = TokenServiceGrpc.newBlockingStub(anonymous());
    return tokens.exchangeKey(ExchangeKeyRequest.newBuilder().setKey(key).build()).getToken();
  }

  /// A new tenant with an admin called `admin` and a member called `ada`; its id.
  String tenant() {
    String id = "t" + NUMBER.incrementAndGet();
    Channel operator = operator();
    TenantServiceGrpc.newBlockingStub(operator)
        .createTenant(
            CreateTenantRequest.newBuilder()
                .setTenantId(id)
                .setTenant(Tenant.getDefaultInstance())
                .build());
    user(operator, id, "admin", true);
    user(operator, id, "ada", false);
    return id;
  }

  Channel admin(String tenant) {
    return as("tenants/" + tenant + "/users/admin");
  }

  Channel member(String tenant) {
    return as("tenants/" + tenant + "/users/ada");
  }

  /// Why `call` is refused.
  static Refusal refusal(ThrowingCallable call) {
    Throwable thrown = Assertions.catchThrowable(call);
    Assertions.assertThat(thrown).as("the call is refused").isNotNull();
    return GrpcFailures.refusal(thrown)
        .orElseThrow(() -> new AssertionError("refused without a reason", thrown));
  }

  @Override
  public void beforeAll(ExtensionContext context) {
    try {
      secrets = Files.createTempDirectory("policy-secrets").resolve("inner");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    start(postgres.config());
  }

  @Override
  public void afterEach(ExtensionContext context) {
    conformance.verify();
  }

  @Override
  public void afterAll(ExtensionContext context) {
    stop();
    try (Stream<Path> left = Files.walk(secrets().getParent())) {
      for (Path each : left.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(each);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void start(DatabaseConfig database) {
    FakePools pools = new FakePools(this::jwks, clock);
    PolicyService service =
        new PolicyService(
            PolicyServiceConfig.of(database, TestChannels.patient(pools.uri()), secrets()),
            Telemetry.disabled(),
            clock);
    service.ensureAdminKey(adminKeys::add);
    ApiServer.Builder api =
        ApiServer.builder(ApiServerConfig.of("127.0.0.1", 0), Telemetry.disabled())
            .authentication(service.verifier());
    service.register(api);
    ApiServer server = api.build();
    server.start();
    service.start();
    running = new Running(pools, service, server);
  }

  private void stop() {
    channels.forEach(ManagedChannel::shutdownNow);
    channels.clear();
    Running was = running();
    was.server().close();
    was.service().close();
    was.pools().close();
    running = null;
  }

  private String jwks() {
    return TokenServiceGrpc.newBlockingStub(anonymous())
        .getVerificationKeys(GetVerificationKeysRequest.getDefaultInstance())
        .getJwksJson();
  }

  private Channel open(TokenSource tokens) {
    ManagedChannel channel =
        Channels.open(TestChannels.patient(running().server().uri()), tokens, Telemetry.disabled());
    channels.add(channel);
    return ClientInterceptors.intercept(channel, conformance);
  }

  private Running running() {
    if (running == null) {
      throw new IllegalStateException("the service is not running");
    }
    return running;
  }

  private static void user(Channel operator, String tenant, String id, boolean admin) {
    UserServiceGrpc.newBlockingStub(operator)
        .createUser(
            CreateUserRequest.newBuilder()
                .setParent("tenants/" + tenant)
                .setUserId(id)
                .setUser(User.newBuilder().setAdmin(admin))
                .build());
  }
}
