package io.headgate.kit.telemetry;

import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.common.export.MemoryMode;
import io.opentelemetry.sdk.metrics.Aggregation;
import io.opentelemetry.sdk.metrics.InstrumentType;
import io.opentelemetry.sdk.metrics.data.AggregationTemporality;
import io.opentelemetry.sdk.metrics.data.MetricData;
import io.opentelemetry.sdk.metrics.export.CollectionRegistration;
import io.opentelemetry.sdk.metrics.export.MetricReader;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/// The end of a shared reader in one part of a process. A reader of the library belongs to one set
/// of instruments. Here it reads [the sets of all parts][Parts] as one.
final class SharedReader implements MetricReader {
  private final MetricReader shared;
  private final Parts parts;

  SharedReader(MetricReader shared, Parts parts) {
    this.shared = shared;
    this.parts = parts;
  }

  /// The instruments of all parts, for one shared reader.
  static final class Parts implements CollectionRegistration {
    private final List<CollectionRegistration> sets = new CopyOnWriteArrayList<>();

    @Override
    public Collection<MetricData> collectAllMetrics() {
      List<MetricData> all = new ArrayList<>();
      sets.forEach(set -> all.addAll(set.collectAllMetrics()));
      return all;
    }
  }

  @Override
  public void register(CollectionRegistration registration) {
    parts.sets.add(registration);
  }

  @Override
  public AggregationTemporality getAggregationTemporality(InstrumentType type) {
    return shared.getAggregationTemporality(type);
  }

  @Override
  public Aggregation getDefaultAggregation(InstrumentType type) {
    return shared.getDefaultAggregation(type);
  }

  @Override
  public MemoryMode getMemoryMode() {
    return shared.getMemoryMode();
  }

  @Override
  public CompletableResultCode forceFlush() {
    return shared.forceFlush();
  }

  /// The process ends the shared reader, after its last part.
  @Override
  public CompletableResultCode shutdown() {
    return CompletableResultCode.ofSuccess();
  }
}
