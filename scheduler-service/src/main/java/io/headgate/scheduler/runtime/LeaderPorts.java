package io.headgate.scheduler.runtime;

import io.headgate.kit.time.TimeSource;
import java.util.List;

/// What a leader reaches the world through.
public record LeaderPorts(
    SchedulerStore store,
    JobReader reader,
    List<CatalogSource> sources,
    TimeSource time,
    LoopMetrics metrics,
    Committed committed,
    Failpoint.Handler failpoints) {
  public LeaderPorts {
    sources = List.copyOf(sources);
  }
}
