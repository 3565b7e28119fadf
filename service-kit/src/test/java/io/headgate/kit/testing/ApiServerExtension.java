package io.headgate.kit.testing;

import io.grpc.Channel;
import io.grpc.ClientInterceptors;
import io.grpc.ManagedChannel;
import io.headgate.kit.client.Channels;
import io.headgate.kit.client.TokenSource;
import io.headgate.kit.grpc.ApiServer;
import io.headgate.kit.grpc.ApiServerConfig;
import io.headgate.kit.telemetry.Telemetry;
import java.net.URI;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/// The real server on a free port for a test class, with tokens and channels, every answer held to
/// {@link ErrorConformance}. Register it after the {@link PostgresFixture} it may need (fields in
/// order, `@Order`).
///
/// ```java
/// @RegisterExtension
/// static final ApiServerExtension SERVER =
///     new ApiServerExtension(api -> service(POSTGRES.database()).register(api));
/// ```
public final class ApiServerExtension
    implements BeforeAllCallback, AfterEachCallback, AfterAllCallback {
  private final Consumer<ApiServer.Builder> services;
  private final ApiServerConfig config;
  private final TestTokens tokens = TestTokens.create();
  private final ErrorConformance conformance = new ErrorConformance();
  private final List<ManagedChannel> channels = new CopyOnWriteArrayList<>();
  private @Nullable ApiServer server;

  /// @param services registers what the server is to serve; called when the class begins
  public ApiServerExtension(Consumer<ApiServer.Builder> services) {
    this(ApiServerConfig.of("127.0.0.1", 0), services);
  }

  public ApiServerExtension(ApiServerConfig config, Consumer<ApiServer.Builder> services) {
    this.config = config;
    this.services = services;
  }

  public ApiServer server() {
    if (server == null) {
      throw new IllegalStateException("the server is used outside of its test class");
    }
    return server;
  }

  public URI uri() {
    return server().uri();
  }

  public TestTokens tokens() {
    return tokens;
  }

  public ErrorConformance conformance() {
    return conformance;
  }

  /// A channel whose calls carry `token`; closed with the class.
  public Channel channel(String token) {
    return channel(() -> Optional.of(token));
  }

  /// A channel without a token.
  public Channel anonymous() {
    return channel(TokenSource.anonymous());
  }

  private Channel channel(TokenSource source) {
    ManagedChannel channel =
        Channels.open(TestChannels.patient(uri()), source, Telemetry.disabled());
    channels.add(channel);
    return ClientInterceptors.intercept(channel, conformance);
  }

  @Override
  public void beforeAll(ExtensionContext context) {
    ApiServer.Builder builder =
        ApiServer.builder(config, Telemetry.disabled()).authentication(tokens.verifier());
    services.accept(builder);
    server = builder.build();
    server.start();
  }

  @Override
  public void afterEach(ExtensionContext context) {
    conformance.verify();
  }

  @Override
  public void afterAll(ExtensionContext context) {
    channels.forEach(ManagedChannel::shutdownNow);
    if (server != null) {
      server.close();
    }
  }
}
