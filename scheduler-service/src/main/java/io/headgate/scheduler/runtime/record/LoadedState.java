package io.headgate.scheduler.runtime.record;

import io.headgate.kit.position.WatchPosition;
import io.headgate.scheduler.core.SchedulerState.Demanded;
import io.headgate.scheduler.core.SchedulerState.ObservedRuns;
import io.headgate.scheduler.core.job.Hold;
import io.headgate.scheduler.core.job.PastUse;
import java.util.List;
import java.util.Map;

/// The durable state from which a new leader starts.
///
/// @param jobs that wait or have an attempt
/// @param attempts the live ones
/// @param demand recent jobs by profile, finished ones included; placement would lose it at a
///   restart
/// @param runTimes how long the newest attempts ran that ended by themselves, by queue
/// @param pastUse of levels of rights, in pools that count it
/// @param waits reasons that lanes and jobs have waited for
/// @param catalogs by source
/// @param lastJob highest id of any job
/// @param version of the watches
/// @param lastBatch number of the last batch of earlier leaders
public record LoadedState(
    List<JobRecord> jobs,
    List<AttemptRecord> attempts,
    List<Hold> holds,
    List<NodeContact> contacts,
    List<Demanded> demand,
    List<ObservedRuns> runTimes,
    List<PastUse> pastUse,
    List<WaitHistory> waits,
    Map<String, Catalog> catalogs,
    long lastJob,
    long version,
    long lastBatch) {
  /// The number of the newest jobs from which the demand is computed; the core remembers no more.
  public static final int LAST_JOBS = 16_384;

  /// The number of the newest attempts from which run times are learned. It bounds what a new
  /// leader reads.
  public static final int LAST_ATTEMPTS = 16_384;

  /// The last known content of a watched source.
  public record Catalog(WatchPosition position, List<CatalogEntry> entries) {
    public static final Catalog NONE = new Catalog(WatchPosition.START, List.of());
  }
}
