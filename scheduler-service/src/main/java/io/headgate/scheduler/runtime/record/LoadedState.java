package io.headgate.scheduler.runtime.record;

import io.headgate.kit.watch.WatchPosition;
import io.headgate.scheduler.core.SchedulerState.Demanded;
import io.headgate.scheduler.core.job.Hold;
import java.util.List;
import java.util.Map;

/// What a new leader starts from.
///
/// @param jobs that wait or have an attempt
/// @param attempts the live ones
/// @param demand how many of the jobs that came last were of each profile, whether they are over or
///   not: what a restart would else make placement forget
/// @param catalogs by source
/// @param lastJob highest id of any job
/// @param version of the watches
/// @param lastBatch of the leaders before
public record LoadedState(
    List<JobRecord> jobs,
    List<AttemptRecord> attempts,
    List<Hold> holds,
    List<NodeContact> contacts,
    List<Demanded> demand,
    Map<String, Catalog> catalogs,
    long lastJob,
    long version,
    long lastBatch) {
  /// So many of the last jobs say what to expect; more the core does not remember either.
  public static final int LAST_JOBS = 16_384;

  /// The last known content of a watched source.
  public record Catalog(WatchPosition position, List<CatalogEntry> entries) {
    public static final Catalog NONE = new Catalog(WatchPosition.START, List.of());
  }
}
