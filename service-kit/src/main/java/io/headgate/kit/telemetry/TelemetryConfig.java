package io.headgate.kit.telemetry;

import io.headgate.kit.config.Default;
import io.headgate.kit.config.Setting;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/// Receivers of telemetry.
public record TelemetryConfig(
    @Setting(
            meaning = "Base URL of an OTLP/HTTP receiver, such as http://127.0.0.1:4318.",
            absent = "no export")
        Optional<URI> otlpEndpoint,
    @Setting(meaning = "Address of the scrape endpoint `/metrics`.") @Default("127.0.0.1")
        String metricsHost,
    @Setting(
            meaning = "Port of the scrape endpoint; 0 chooses a free one.",
            bound = "0 to 65535",
            absent = "no endpoint")
        Optional<Integer> metricsPort,
    @Setting(
            meaning =
                "Scrapes that are answered: those with the token of the file, or all (`open`). "
                    + "Jobs reach the endpoint too.")
        @Default("token")
        MetricsAccess metricsAccess,
    @Setting(
            meaning =
                "File of the scrape token, readable by its owner only. Created with a random token "
                    + "if absent.",
            absent = "no token; then an endpoint needs `metrics-access: open`")
        Optional<Path> metricsTokenFile,
    @Setting(meaning = "Part of the traces that begin here and are recorded.", bound = "0 to 1")
        @Default("1.0")
        double traceRatio,
    @Setting(meaning = "Interval at which metrics are exported by OTLP.", bound = "above 0")
        @Default("15s")
        Duration exportInterval,
    @Setting(meaning = "Least severe messages of the console and of exported logs.")
        @Default("info")
        LogLevel logLevel,
    @Setting(
            meaning =
                "Form of the console: lines for people, or one JSON object a line with trace ids and"
                    + " the name of the event.")
        @Default("text")
        LogFormat logFormat,
    @Setting(
            meaning =
                "Histograms that receivers of OTLP get: `exponential`, or `buckets` as a scrape has "
                    + "them. The dashboards need the latter where no Collector converts.")
        @Default("exponential")
        OtlpHistograms otlpHistograms) {

  /// With exponential histograms by OTLP.
  public TelemetryConfig(
      Optional<URI> otlpEndpoint,
      String metricsHost,
      Optional<Integer> metricsPort,
      MetricsAccess metricsAccess,
      Optional<Path> metricsTokenFile,
      double traceRatio,
      Duration exportInterval,
      LogLevel logLevel,
      LogFormat logFormat) {
    this(
        otlpEndpoint,
        metricsHost,
        metricsPort,
        metricsAccess,
        metricsTokenFile,
        traceRatio,
        exportInterval,
        logLevel,
        logFormat,
        OtlpHistograms.EXPONENTIAL);
  }

  /// The scrapes that the endpoint answers.
  public enum MetricsAccess {
    /// Scrapes with the header `authorization: Bearer TOKEN`.
    TOKEN,
    OPEN
  }

  /// How much is logged.
  public enum LogLevel {
    ERROR,
    WARN,
    INFO,
    DEBUG
  }

  /// The form of the log on standard error.
  public enum LogFormat {
    TEXT,
    JSON
  }

  /// The form of histograms by OTLP.
  public enum OtlpHistograms {
    /// As many buckets as the values need.
    EXPONENTIAL,
    /// The fixed buckets of a scrape.
    BUCKETS
  }

  public static final TelemetryConfig DEFAULTS =
      new TelemetryConfig(
          Optional.empty(),
          "127.0.0.1",
          Optional.empty(),
          MetricsAccess.TOKEN,
          Optional.empty(),
          1.0,
          Duration.ofSeconds(15),
          LogLevel.INFO,
          LogFormat.TEXT);

  /// A copy with this form of histograms by OTLP.
  public TelemetryConfig withOtlpHistograms(OtlpHistograms form) {
    return new TelemetryConfig(
        otlpEndpoint,
        metricsHost,
        metricsPort,
        metricsAccess,
        metricsTokenFile,
        traceRatio,
        exportInterval,
        logLevel,
        logFormat,
        form);
  }

  public TelemetryConfig {
    if (metricsPort.filter(port -> port < 0 || port > 65_535).isPresent()) {
      throw new IllegalArgumentException("metrics-port: 0 to 65535, not " + metricsPort.get());
    }
    if (metricsPort.isPresent()
        && metricsAccess == MetricsAccess.TOKEN
        && metricsTokenFile.isEmpty()) {
      throw new IllegalArgumentException(
          "metrics-token-file: name a file for the scrape token, or set metrics-access: open");
    }
    if (!(traceRatio >= 0 && traceRatio <= 1)) {
      throw new IllegalArgumentException("trace-ratio: 0 to 1, not " + traceRatio);
    }
    if (!exportInterval.isPositive()) {
      throw new IllegalArgumentException("export-interval: above zero, not " + exportInterval);
    }
  }
}
