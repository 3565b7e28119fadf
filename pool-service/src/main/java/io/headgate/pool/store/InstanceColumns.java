package io.headgate.pool.store;

import io.headgate.pool.core.configuration.Instance;
import io.headgate.pool.store.jooq.tables.records.ElasticitiesRecord;
import io.headgate.pool.store.jooq.tables.records.PoolsRecord;
import java.util.Optional;

/// Reads the columns that say what one machine of a pool has.
final class InstanceColumns {
  private InstanceColumns() {}

  /// The instance of an elastic pool.
  static Instance of(ElasticitiesRecord row) {
    return new Instance(
        row.getInstanceGpus(),
        Optional.ofNullable(row.getInstanceGpuModel()),
        row.getGpuMemoryBytes(),
        row.getCpuMillis(),
        row.getMemoryBytes());
  }

  /// The instance of a static pool; empty: the pool states none, or is elastic.
  static Optional<Instance> of(PoolsRecord row) {
    return Optional.ofNullable(row.getInstanceGpus())
        .map(gpus ->
            new Instance(
                gpus,
                Optional.ofNullable(row.getInstanceGpuModel()),
                row.getInstanceGpuMemoryBytes(),
                row.getInstanceCpuMillis(),
                row.getInstanceMemoryBytes()));
  }
}
