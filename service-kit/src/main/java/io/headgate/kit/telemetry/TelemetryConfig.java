package io.headgate.kit.telemetry;

import io.headgate.kit.config.Default;
import java.net.URI;
import java.time.Duration;
import java.util.Optional;

/// Receivers of telemetry.
///
/// @param otlpEndpoint base URL of an OTLP/HTTP receiver (`http://127.0.0.1:4318`); absent: no
///   export
/// @param metricsHost and `metricsPort`: address of the scrape endpoint `/metrics`; port 0 chooses
///   a free one; absent port: no endpoint
/// @param traceRatio fraction of the traces that begin here and are recorded, 0 to 1
/// @param exportInterval of metrics by OTLP
/// @param logLevel of the console and of exported logs
public record TelemetryConfig(
    Optional<URI> otlpEndpoint,
    @Default("127.0.0.1") String metricsHost,
    Optional<Integer> metricsPort,
    @Default("1.0") double traceRatio,
    @Default("15s") Duration exportInterval,
    @Default("info") LogLevel logLevel) {

  /// How much is logged.
  public enum LogLevel {
    ERROR,
    WARN,
    INFO,
    DEBUG
  }

  public static final TelemetryConfig DEFAULTS =
      new TelemetryConfig(
          Optional.empty(),
          "127.0.0.1",
          Optional.empty(),
          1.0,
          Duration.ofSeconds(15),
          LogLevel.INFO);

  public TelemetryConfig {
    if (!(traceRatio >= 0 && traceRatio <= 1)) {
      throw new IllegalArgumentException("trace-ratio: 0 to 1, not " + traceRatio);
    }
    if (!exportInterval.isPositive()) {
      throw new IllegalArgumentException("export-interval: above zero");
    }
  }
}
