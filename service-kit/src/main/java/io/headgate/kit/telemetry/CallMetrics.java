package io.headgate.kit.telemetry;

import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.sdk.metrics.Aggregation;
import io.opentelemetry.sdk.metrics.ExplicitBucketHistogramOptions;
import io.opentelemetry.sdk.metrics.InstrumentSelector;
import io.opentelemetry.sdk.metrics.SdkMeterProviderBuilder;
import io.opentelemetry.sdk.metrics.View;
import java.util.List;
import java.util.Set;

/// Bounds what the library measures of calls: by method and status, in few buckets. The sizes of
/// messages are left out, and so are addresses, which have no bound.
public final class CallMetrics {
  public static final AttributeKey<String> METHOD = AttributeKey.stringKey("rpc.method");
  public static final AttributeKey<String> STATUS =
      AttributeKey.stringKey("rpc.response.status_code");
  private static final List<Double> BUCKETS = List.of(0.005, 0.025, 0.1, 0.5, 2.5, 10.0);

  public static final MetricDefinition SERVED =
      MetricDefinition.histogram(
          "rpc.server.call.duration", "s", "time of served calls", BUCKETS, METHOD, STATUS);
  public static final MetricDefinition MADE =
      MetricDefinition.histogram(
          "rpc.client.call.duration", "s", "time of calls to others", BUCKETS, METHOD, STATUS);

  private CallMetrics() {}

  /// The library follows the present conventions for calls only when it is told so, before its
  /// first use.
  static void followConventions() {
    System.setProperty("otel.semconv-stability.opt-in", "rpc");
  }

  static void bound(SdkMeterProviderBuilder metrics) {
    for (MetricDefinition definition : List.of(SERVED, MADE)) {
      metrics.registerView(
          InstrumentSelector.builder().setName(definition.name()).build(),
          View.builder()
              .setAttributeFilter(Set.of(METHOD.getKey(), STATUS.getKey()))
              .setAggregation(
                  Aggregation.explicitBucketHistogram(
                      ExplicitBucketHistogramOptions.builder()
                          .setBucketBoundaries(BUCKETS)
                          .build()))
              .build());
    }
    metrics.registerView(
        InstrumentSelector.builder().setName("rpc.*.size").build(),
        View.builder().setAggregation(Aggregation.drop()).build());
  }
}
