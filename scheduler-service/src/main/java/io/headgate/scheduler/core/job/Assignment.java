package io.headgate.scheduler.core.job;

import io.headgate.scheduler.core.catalog.PoolId;
import java.util.List;

/// Attempt → nodes and slices.
///
/// @param workers by worker index
public record Assignment(PoolId pool, List<WorkerPlace> workers) {
  public Assignment {
    workers = List.copyOf(workers);
    if (workers.isEmpty()) {
      throw new IllegalArgumentException("an assignment has at least one worker");
    }
  }

  /// Units of GPU of all workers, in 1/126000.
  public long units() {
    long units = 0;
    for (WorkerPlace worker : workers) {
      units += worker.units();
    }
    return units;
  }
}
