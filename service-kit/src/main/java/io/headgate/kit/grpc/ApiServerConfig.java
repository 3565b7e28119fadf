package io.headgate.kit.grpc;

import io.headgate.kit.config.ByteSize;
import io.headgate.kit.config.Default;
import io.headgate.kit.config.Setting;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/// The address of the API and the limits per client. The limits exist because the library's
/// defaults are unlimited for streams and connections, and too tight for long streams (request
/// time, request length).
public record ApiServerConfig(
    @Setting(meaning = "Address that the API listens on.") @Default("127.0.0.1") String host,
    @Setting(meaning = "Port of the API; 0 chooses a free one.", bound = "0 to 65535")
        @Default("7400")
        int port,
    @Setting(
            meaning =
                "Certificate of the API. Without it, the API speaks plain text: "
                    + "only on loopback, or behind a proxy that ends TLS.")
        Optional<TlsConfig> tls,
    @Setting(
            meaning =
                "Callers that may read gRPC reflection and the documentation pages; `open` "
                    + "admits all, jobs too.")
        @Default("signed-in")
        Discovery discovery,
    @Setting(
            meaning =
                "Largest gRPC message or JSON body; single methods declare more "
                    + "in the contract.",
            bound = "1KiB to 64MiB")
        @Default("1MiB")
        ByteSize maxMessageSize,
    @Setting(meaning = "Concurrent calls on one connection.", bound = "at least 1") @Default("100")
        int maxStreams,
    @Setting(meaning = "Connections in total.", bound = "at least 1") @Default("10000")
        int maxConnections,
    @Setting(meaning = "Connections from one address.", bound = "at least 1") @Default("1000")
        int maxConnectionsPerAddress,
    @Setting(
            meaning = "Concurrent handlers that may block; further calls wait.",
            bound = "at least 1")
        @Default("256")
        int maxHandlers,
    @Setting(
            meaning =
                "Calls that run or wait; further calls are refused with " + "RESOURCE_EXHAUSTED.",
            bound = "at least 1")
        @Default("20000")
        int maxCalls,
    @Setting(
            meaning = "Longest time of a unary call, whatever deadline the client sets.",
            bound = "above 0")
        @Default("30s")
        Duration requestTimeout,
    @Setting(meaning = "Time after which a connection without calls is closed.") @Default("60s")
        Duration idleTimeout,
    @Setting(
            meaning = "Age at which a connection is asked to close once its calls " + "have ended.")
        @Default("1h")
        Duration maxConnectionAge,
    @Setting(meaning = "Time for unary calls in progress when the process stops.") @Default("10s")
        Duration stopTimeout) {

  /// Reflection and documentation name every method; they help people and attackers alike.
  public enum Discovery {
    /// Callers with a token, whatever their role.
    SIGNED_IN,
    /// All that can connect, jobs too.
    OPEN,
    OFF
  }

  /// PEM files of the server's certificate.
  public record TlsConfig(
      @Setting(meaning = "PEM file of the certificate with its chain.") Path certificate,
      @Setting(meaning = "PEM file of the private key.") Path key) {}

  public ApiServerConfig {
    if (port < 0 || port > 65_535) {
      throw new IllegalArgumentException("port: 0 to 65535, not " + port);
    }
    if (maxMessageSize.bytes() < 1024 || maxMessageSize.bytes() > 64 << 20) {
      throw new IllegalArgumentException("max-message-size: 1KiB to 64MiB, not " + maxMessageSize);
    }
    requirePositive("max-streams", maxStreams);
    requirePositive("max-connections", maxConnections);
    requirePositive("max-connections-per-address", maxConnectionsPerAddress);
    requirePositive("max-handlers", maxHandlers);
    requirePositive("max-calls", maxCalls);
    if (!requestTimeout.isPositive()) {
      throw new IllegalArgumentException("request-timeout: above zero, not " + requestTimeout);
    }
    requireNotNegative("idle-timeout", idleTimeout);
    requireNotNegative("stop-timeout", stopTimeout);
  }

  private static void requirePositive(String key, int value) {
    if (value < 1) {
      throw new IllegalArgumentException("%s: at least 1, not %d".formatted(key, value));
    }
  }

  private static void requireNotNegative(String key, Duration value) {
    if (value.isNegative()) {
      throw new IllegalArgumentException("%s: at least 0, not %s".formatted(key, value));
    }
  }

  /// The defaults on `host` and `port`.
  public static ApiServerConfig of(String host, int port) {
    return new ApiServerConfig(
        host,
        port,
        Optional.empty(),
        Discovery.SIGNED_IN,
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
