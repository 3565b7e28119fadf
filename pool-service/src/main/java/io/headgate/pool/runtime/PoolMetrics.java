package io.headgate.pool.runtime;

import io.headgate.kit.telemetry.MetricDefinition;
import io.opentelemetry.api.metrics.LongCounter;
import io.opentelemetry.api.metrics.Meter;
import java.util.List;

/// The metrics of the service.
public final class PoolMetrics {
  public static final MetricDefinition CATALOG_CHANGES =
      MetricDefinition.counter(
              "headgate.pool.catalog.changes",
              "{change}",
              "commits that changed what watchers of the catalog see")
          .atZero(MetricDefinition.FROM_THE_START);

  /// All of them, in the order of the reference.
  public static final List<MetricDefinition> ALL = List.of(CATALOG_CHANGES);

  private final LongCounter catalogChanges;

  public PoolMetrics(Meter meter) {
    this.catalogChanges = CATALOG_CHANGES.counter(meter);
    catalogChanges.add(0);
  }

  void catalogChanged() {
    catalogChanges.add(1);
  }
}
