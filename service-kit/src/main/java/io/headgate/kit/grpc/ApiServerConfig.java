package io.headgate.kit.grpc;

import io.headgate.kit.config.ByteSize;
import io.headgate.kit.config.Default;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/// The address of the API and the limits per client. The limits exist because the library's
/// defaults are unlimited for streams and connections, and too tight for long streams (request
/// time, request length).
///
/// @param port 0 chooses a free one
/// @param tls absent: plain text, for loopback or behind a proxy that terminates TLS
/// @param discovery whether reflection and the documentation pages are served
/// @param maxMessageSize of one gRPC message or JSON body; the contract may declare more for a
///   method
/// @param maxStreams concurrent calls on one connection
/// @param maxConnections in total, and `maxConnectionsPerAddress` from one address
/// @param maxHandlers concurrent handlers, each on a virtual thread; more wait. Prompt methods on
///   event loops do not count
/// @param maxCalls calls in progress, running or waiting; more are refused with RESOURCE_EXHAUSTED
/// @param requestTimeout upper bound of a unary call, whatever deadline the client sets
/// @param idleTimeout of a connection without calls
/// @param maxConnectionAge after it, a connection is asked to close when its calls have ended
/// @param stopTimeout time for unary calls in progress when the server stops
public record ApiServerConfig(
    @Default("127.0.0.1") String host,
    @Default("7400") int port,
    Optional<TlsConfig> tls,
    @Default("auto") Discovery discovery,
    @Default("1MiB") ByteSize maxMessageSize,
    @Default("100") int maxStreams,
    @Default("10000") int maxConnections,
    @Default("1000") int maxConnectionsPerAddress,
    @Default("256") int maxHandlers,
    @Default("20000") int maxCalls,
    @Default("30s") Duration requestTimeout,
    @Default("60s") Duration idleTimeout,
    @Default("1h") Duration maxConnectionAge,
    @Default("10s") Duration stopTimeout) {

  /// Reflection and documentation name every method; they help people and attackers alike.
  public enum Discovery {
    /// On if only this machine can connect.
    AUTO,
    ON,
    OFF
  }

  /// PEM files: the certificate with its chain, and the key.
  public record TlsConfig(Path certificate, Path key) {}

  public ApiServerConfig {
    if (port < 0 || port > 65_535) {
      throw new IllegalArgumentException("port: 0 to 65535, not " + port);
    }
    if (maxMessageSize.bytes() < 1024 || maxMessageSize.bytes() > 64 << 20) {
      throw new IllegalArgumentException("max-message-size: 1KiB to 64MiB, not " + maxMessageSize);
    }
    if (maxStreams < 1
        || maxConnections < 1
        || maxConnectionsPerAddress < 1
        || maxHandlers < 1
        || maxCalls < 1) {
      throw new IllegalArgumentException("every limit of the server is at least 1");
    }
    if (!requestTimeout.isPositive() || idleTimeout.isNegative() || stopTimeout.isNegative()) {
      throw new IllegalArgumentException("request-timeout is above zero, no other is below it");
    }
  }

  /// The defaults on `host` and `port`.
  public static ApiServerConfig of(String host, int port) {
    return new ApiServerConfig(
        host,
        port,
        Optional.empty(),
        Discovery.AUTO,
        ByteSize.ofMebibytes(1),
        100,
        10_000,
        1_000,
        256,
        20_000,
        Duration.ofSeconds(30),
        Duration.ofSeconds(60),
        Duration.ofHours(1),
        Duration.ofSeconds(10));
  }
}
