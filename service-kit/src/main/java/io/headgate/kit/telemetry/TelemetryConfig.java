package io.headgate.kit.telemetry;

import io.headgate.kit.config.Default;
import java.net.URI;
import java.time.Duration;
import java.util.Optional;

/// Where telemetry goes.
///
/// @param otlpEndpoint base URL of an OTLP/HTTP receiver (`http://127.0.0.1:4318`); absent: nothing
///   is sent
/// @param metricsHost and `metricsPort`: where Prometheus scrapes `/metrics`; port 0 chooses a free
///   one; absent port: no scrape endpoint
/// @param traceRatio the part of traces begun here that are recorded, 0 to 1
/// @param exportInterval how often metrics are sent by OTLP
/// @param logLevel of the console and of what is sent
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
