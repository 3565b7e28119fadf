package io.headgate.kit.client;

import io.headgate.kit.config.ByteSize;
import io.headgate.kit.config.Default;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/// Settings of a connection to a server.
///
/// @param server `http://host:port` or `https://host:port`
/// @param trust PEM file of trusted certificates; absent: the system's
/// @param deadline default deadline of a unary call
/// @param keepAlive interval of probes on a silent connection with an open stream
/// @param maxMessageSize largest answer
public record ChannelConfig(
    URI server,
    Optional<Path> trust,
    @Default("15s") Duration deadline,
    @Default("20s") Duration keepAlive,
    @Default("16MiB") ByteSize maxMessageSize) {

  public ChannelConfig {
    boolean http = "http".equals(server.getScheme()) || "https".equals(server.getScheme());
    if (!http || server.getHost() == null || server.getPort() < 1) {
      throw new IllegalArgumentException("server: write http://host:port, not '" + server + "'");
    }
    if (!deadline.isPositive() || keepAlive.compareTo(Duration.ofSeconds(10)) < 0) {
      throw new IllegalArgumentException("deadline is above zero and keep-alive at least 10s");
    }
  }

  /// The defaults for `server`.
  public static ChannelConfig of(URI server) {
    return new ChannelConfig(
        server,
        Optional.empty(),
        Duration.ofSeconds(15),
        Duration.ofSeconds(20),
        ByteSize.ofMebibytes(16));
  }
}
