package io.headgate.kit.client;

import io.headgate.kit.config.ByteSize;
import io.headgate.kit.config.Default;
import io.headgate.kit.config.Setting;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/// Settings of a connection to a server.
public record ChannelConfig(
    @Setting(meaning = "Address of the server.", bound = "http://host:port or https://host:port")
        URI server,
    @Setting(meaning = "PEM file of the certificates to trust.", absent = "those of the system")
        Optional<Path> trust,
    @Setting(meaning = "Default deadline of a unary call.", bound = "above 0") @Default("15s")
        Duration deadline,
    @Setting(
            meaning = "Interval of probes on a silent connection with an open stream.",
            bound = "at least 10s")
        @Default("20s")
        Duration keepAlive,
    @Setting(meaning = "Largest answer that is accepted.") @Default("16MiB")
        ByteSize maxMessageSize) {

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
