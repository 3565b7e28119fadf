package io.headgate.pool.runtime;

import io.opentelemetry.api.metrics.LongCounter;
import io.opentelemetry.api.metrics.Meter;

/// The metrics of the service.
public final class PoolMetrics {
  public static final String CATALOG_CHANGES = "headgate.pool.catalog.changes";

  private final LongCounter catalogChanges;

  public PoolMetrics(Meter meter) {
    this.catalogChanges =
        meter
            .counterBuilder(CATALOG_CHANGES)
            .setUnit("{change}")
            .setDescription("Commits that changed what watchers of the catalog see.")
            .build();
  }

  void catalogChanged() {
    catalogChanges.add(1);
  }
}
