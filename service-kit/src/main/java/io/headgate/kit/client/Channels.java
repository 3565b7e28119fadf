package io.headgate.kit.client;

import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptor;
import io.grpc.ForwardingClientCall.SimpleForwardingClientCall;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.netty.GrpcSslContexts;
import io.grpc.netty.NegotiationType;
import io.grpc.netty.NettyChannelBuilder;
import io.headgate.kit.telemetry.Telemetry;
import io.netty.handler.ssl.SslContextBuilder;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLException;

/// Opens channels to other servers. Each call carries the trace, the current token and, if it is
/// unary and has none, a deadline. A call that certainly had no effect (UNAVAILABLE) is retried a
/// few times with exponential backoff and jitter. A server that was away is reached again within
/// seconds of its return ([Reconnection]).
public final class Channels {
  private static final Metadata.Key<String> AUTHORIZATION =
      Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER);
  private static final Duration STOP_BOUND = Duration.ofSeconds(5);

  private Channels() {}

  /// A channel to `config.server()` that connects on first use.
  public static ManagedChannel open(ChannelConfig config, TokenSource tokens, Telemetry telemetry) {
    return Reconnection.of(
        builder(config, tokens, telemetry)
            .defaultServiceConfig(serviceConfig())
            .enableRetry()
            .build());
  }

  /// A channel without retries, on which each call brings its own token. It forwards calls of other
  /// callers, and they decide about retries.
  public static ManagedChannel openForOthers(ChannelConfig config, Telemetry telemetry) {
    return Reconnection.of(
        builder(config, TokenSource.anonymous(), telemetry).disableRetry().build());
  }

  private static NettyChannelBuilder builder(
      ChannelConfig config, TokenSource tokens, Telemetry telemetry) {
    NettyChannelBuilder channel =
        NettyChannelBuilder.forAddress(config.server().getHost(), config.server().getPort())
            .keepAliveTime(config.keepAlive().toMillis(), TimeUnit.MILLISECONDS)
            .keepAliveTimeout(10, TimeUnit.SECONDS)
            .keepAliveWithoutCalls(false)
            .maxInboundMessageSize(Math.toIntExact(config.maxMessageSize().bytes()))
            .userAgent("headgate")
            .intercept(
                List.of(
                    telemetry.clientInterceptor(),
                    new Deadlines(config.deadline()),
                    new Tokens(tokens)));
    if (config.server().getScheme().equals("http")) {
      channel.negotiationType(NegotiationType.PLAINTEXT);
    } else {
      encrypt(channel, config);
    }
    return channel;
  }

  /// Closes `channel` and waits briefly for its calls to end.
  public static void close(ManagedChannel channel) {
    channel.shutdown();
    try {
      if (!channel.awaitTermination(STOP_BOUND.toMillis(), TimeUnit.MILLISECONDS)) {
        channel.shutdownNow();
      }
    } catch (InterruptedException e) {
      channel.shutdownNow();
      Thread.currentThread().interrupt();
    }
  }

  /// Speaks no older version of TLS than the servers do: otherwise an attacker in between, with a
  /// server's stolen certificate, could choose it.
  private static void encrypt(NettyChannelBuilder channel, ChannelConfig config) {
    SslContextBuilder tls = GrpcSslContexts.forClient().protocols("TLSv1.3");
    try {
      config.trust().ifPresent(trust -> tls.trustManager(trust.toFile()));
      channel.sslContext(tls.build());
    } catch (SSLException | IllegalArgumentException e) {
      throw new IllegalArgumentException("trust: cannot read " + config.trust(), e);
    }
  }

  private static Map<String, Object> serviceConfig() {
    Map<String, Object> retry =
        Map.of(
            "maxAttempts",
            4.0,
            "initialBackoff",
            "0.1s",
            "maxBackoff",
            "2s",
            "backoffMultiplier",
            2.0,
            "retryableStatusCodes",
            List.of("UNAVAILABLE"));
    return Map.of(
        "methodConfig", List.of(Map.of("name", List.of(Map.of()), "retryPolicy", retry)),
        "retryThrottling", Map.of("maxTokens", 100.0, "tokenRatio", 0.1));
  }

  private record Deadlines(Duration deadline) implements ClientInterceptor {
    @Override
    public <ReqT, RespT> ClientCall<ReqT, RespT> interceptCall(
        MethodDescriptor<ReqT, RespT> method, CallOptions options, Channel next) {
      boolean needed = method.getType() == MethodType.UNARY && options.getDeadline() == null;
      return next.newCall(
          method,
          needed ? options.withDeadlineAfter(deadline.toNanos(), TimeUnit.NANOSECONDS) : options);
    }
  }

  private record Tokens(TokenSource tokens) implements ClientInterceptor {
    @Override
    public <ReqT, RespT> ClientCall<ReqT, RespT> interceptCall(
        MethodDescriptor<ReqT, RespT> method, CallOptions options, Channel next) {
      return new SimpleForwardingClientCall<>(next.newCall(method, options)) {
        @Override
        public void start(Listener<RespT> listener, Metadata headers) {
          if (!headers.containsKey(AUTHORIZATION)) {
            tokens.token().ifPresent(token -> headers.put(AUTHORIZATION, "Bearer " + token));
          }
          super.start(listener, headers);
        }
      };
    }
  }
}
