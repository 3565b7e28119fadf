package io.headgate.kit.grpc;

import com.linecorp.armeria.common.TlsKeyPair;
import com.linecorp.armeria.server.ServerBuilder;
import io.headgate.kit.auth.TokenVerifier;
import io.headgate.kit.lifecycle.CannotStartException;
import io.headgate.kit.time.TimeSource;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPipeline;
import io.netty.handler.flush.FlushConsolidationHandler;
import io.netty.handler.ssl.ApplicationProtocolNegotiationHandler;
import java.net.InetSocketAddress;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/// Where a server listens, and how a connection passes from the [gate][ConnectionGate] through the
/// [lobby][Lobby] to the handlers of HTTP with their limits.
final class ServerConnections {
  private static final Duration PING = Duration.ofSeconds(20);

  /// Silence that a stopping server waits for before it closes; zero would cut calls off.
  private static final Duration QUIET = Duration.ofMillis(50);

  /// Pending writes after which a connection flushes at once.
  private static final int MAX_HELD_FLUSHES = 64;

  private final ApiServerConfig config;
  private final Connections connections;
  private final StrangersLoop strangers;
  private final Lobby.Rules lobby;

  /// @param verifier judges the token of a connection's first call
  /// @param patience time that a connection has for its first call
  ServerConnections(
      ApiServerConfig config, Connections connections, TokenVerifier verifier, Duration patience) {
    this.config = config;
    this.connections = connections;
    this.strangers = StrangersLoop.create(verifier);
    this.lobby =
        new Lobby.Rules(
            strangers, verifier, config.maxStreams(), patience, config.tls().isPresent());
  }

  StrangersLoop strangers() {
    return strangers;
  }

  void configure(ServerBuilder server) {
    listen(server);
    limit(server);
    server
        .bossGroupFactory(threads ->
            AcceptorEventLoop.named(threads, new ConnectionGate(connections, this::admitted)))
        .workerGroup(strangers, true)
        .childChannelPipelineCustomizer(this::customize);
  }

  private void listen(ServerBuilder server) {
    InetSocketAddress address = new InetSocketAddress(config.host(), config.port());
    if (address.isUnresolved()) {
      throw new CannotStartException(
          "cannot listen on '" + config.host() + "', which is not known: choose another api.host");
    }
    if (config.tls().isPresent()) {
      ApiServerConfig.TlsConfig tls = config.tls().get();
      server
          .https(address)
          .tls(TlsKeyPair.of(tls.key().toFile(), tls.certificate().toFile()))
          .tlsCustomizer(context -> context.protocols("TLSv1.3"));
    } else {
      server.http(address);
    }
  }

  private void limit(ServerBuilder server) {
    long message = config.maxMessageSize().bytes();
    server
        .http2MaxStreamsPerConnection(config.maxStreams())
        .http2MaxHeaderListSize(FirstCall.MOST_HEADERS)
        .http1MaxHeaderSize(FirstCall.MOST_HEADERS)
        .idleTimeout(config.idleTimeout())
        // Without pings, a stream whose client vanished would stay open for hours.
        .pingInterval(PING)
        .maxConnectionAge(config.maxConnectionAge())
        .maxRequestLength(message + RequestLimits.FRAME_BYTES)
        .requestTimeout(config.requestTimeout())
        .gracefulShutdownTimeout(QUIET, config.stopTimeout().plus(QUIET));
  }

  private void admitted(Channel channel) {
    channel.pipeline().addLast(ConnectionCost.begin(channel));
    if (!lobby.isTls()) {
      channel.pipeline().addLast(new Lobby(lobby));
    }
  }

  /// Runs when Armeria has made the first handlers of a connection.
  private void customize(ChannelPipeline pipeline) {
    if (lobby.isTls()) {
      @Nullable ChannelHandlerContext negotiation =
          pipeline.context(ApplicationProtocolNegotiationHandler.class);
      pipeline.addBefore(negotiation.name(), null, new Lobby(lobby));
    }
    // It counts frames behind TLS, and before plain HTTP is told from HTTP/2.
    Connections.of(pipeline.channel())
        .ifPresent(connection -> {
          FrameBudget frames = new FrameBudget(connection, TimeSource.system());
          var _ = lobby.isTls() ? pipeline.addLast(frames) : pipeline.addFirst(frames);
        });
    // All answers of one round of an event loop leave in one write per connection.
    pipeline.addFirst(new FlushConsolidationHandler(MAX_HELD_FLUSHES, true));
  }
}
