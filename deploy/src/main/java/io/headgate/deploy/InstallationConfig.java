package io.headgate.deploy;

import io.headgate.kit.telemetry.TelemetryConfig;
import java.nio.file.Path;
import java.time.Duration;

/// What an all-in-one installation needs to know.
///
/// @param data directory of everything that is kept
/// @param host address that the API listens on
/// @param port of the API; 0 chooses a free one
/// @param lease how long a leader that vanished blocks the next; short, because nobody else
///   competes here
public record InstallationConfig(
    Path data, String host, int port, Duration lease, TelemetryConfig telemetry) {
  private static final Duration DEFAULT_LEASE = Duration.ofSeconds(2);

  /// An installation on loopback without exported telemetry.
  public static InstallationConfig of(Path data, int port) {
    return new InstallationConfig(data, "127.0.0.1", port, DEFAULT_LEASE, TelemetryConfig.DEFAULTS);
  }

  InstallationConfig withTelemetry(TelemetryConfig other) {
    return new InstallationConfig(data, host, port, lease, other);
  }
}
