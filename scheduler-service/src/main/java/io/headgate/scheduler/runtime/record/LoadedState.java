package io.headgate.scheduler.runtime.record;

import io.headgate.kit.position.WatchPosition;
import io.headgate.scheduler.core.SchedulerState.Demanded;
import io.headgate.scheduler.core.SchedulerState.ObservedRuns;
import io.headgate.scheduler.core.job.Hold;
import io.headgate.scheduler.core.job.PastUse;
import io.headgate.scheduler.core.ledger.DownStep;
import io.headgate.scheduler.core.ledger.HeldStep;
import io.headgate.scheduler.core.ledger.PoolStep;
import io.headgate.scheduler.core.ledger.ReservationStep;
import io.headgate.scheduler.core.ledger.ShortageStep;
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
/// @param usage what the ledger of usage said last
/// @param budgets that have warned or are spent
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
    UsageTold usage,
    List<BudgetRecord> budgets,
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

  /// The last steps of the usage ledger, besides the beginnings in [AttemptRecord#metered].
  ///
  /// @param pools the last step of each pool
  /// @param shortages the last step of each policy that lacks something
  /// @param reservations the last step of each policy
  /// @param held the free slices that are held for jobs
  /// @param down the nodes with unused slices that are down
  public record UsageTold(
      List<PoolStep> pools,
      List<ShortageStep> shortages,
      List<ReservationStep> reservations,
      List<HeldStep> held,
      List<DownStep> down) {
    public static final UsageTold NOTHING =
        new UsageTold(List.of(), List.of(), List.of(), List.of(), List.of());

    public UsageTold {
      pools = List.copyOf(pools);
      shortages = List.copyOf(shortages);
      reservations = List.copyOf(reservations);
      held = List.copyOf(held);
      down = List.copyOf(down);
    }
  }

  /// The last known content of a watched source.
  public record Catalog(WatchPosition position, List<CatalogEntry> entries) {
    public static final Catalog NONE = new Catalog(WatchPosition.START, List.of());
  }
}
