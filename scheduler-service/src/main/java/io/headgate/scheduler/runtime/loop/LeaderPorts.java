package io.headgate.scheduler.runtime.loop;

import io.headgate.kit.time.TimeSource;
import io.headgate.scheduler.runtime.catalog.CatalogSource;
import io.headgate.scheduler.runtime.catalog.VaultRules;
import io.headgate.scheduler.runtime.record.Document;
import io.headgate.scheduler.runtime.record.Failpoint;
import io.headgate.scheduler.runtime.record.JobReader;
import io.headgate.scheduler.runtime.record.SchedulerStore;
import java.util.List;
import java.util.function.Function;

/// The leader's ports to the database, the clock and other services.
///
/// @param asked reads from a job's document the settings that vaults restrict
public record LeaderPorts(
    SchedulerStore store,
    JobReader reader,
    List<CatalogSource> sources,
    TimeSource time,
    LoopMetrics metrics,
    CommitListener committed,
    Failpoint.Handler failpoints,
    Function<Document, VaultRules.Asked> asked) {
  public LeaderPorts {
    sources = List.copyOf(sources);
  }
}
