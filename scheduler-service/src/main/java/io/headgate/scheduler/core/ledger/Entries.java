package io.headgate.scheduler.core.ledger;

import io.headgate.scheduler.core.job.AttemptId;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// The news of the ledger after a decision.
///
/// @param intervals that are over
/// @param begun attempts whose present interval begins at that time
/// @param pools whose balance is another one now
/// @param shortages that are other ones now
/// @param reservations that are other ones now
/// @param held jobs for which other free slices are held now
/// @param downIntervals of nodes, that are over
/// @param down nodes of which other unused slices are down now
public record Entries(
    List<UsageInterval> intervals,
    Map<AttemptId, Instant> begun,
    List<PoolStep> pools,
    List<ShortageStep> shortages,
    List<ReservationStep> reservations,
    List<HeldStep> held,
    List<DownInterval> downIntervals,
    List<DownStep> down) {
  /// Nothing yet.
  public static Entries empty() {
    return new Entries(
        new ArrayList<>(),
        new LinkedHashMap<>(),
        new ArrayList<>(),
        new ArrayList<>(),
        new ArrayList<>(),
        new ArrayList<>(),
        new ArrayList<>(),
        new ArrayList<>());
  }

  /// Adds what a later settlement gave.
  public void add(Entries more) {
    intervals.addAll(more.intervals);
    begun.putAll(more.begun);
    pools.addAll(more.pools);
    shortages.addAll(more.shortages);
    reservations.addAll(more.reservations);
    held.addAll(more.held);
    downIntervals.addAll(more.downIntervals);
    down.addAll(more.down);
  }

  public boolean isEmpty() {
    return intervals.isEmpty()
        && begun.isEmpty()
        && pools.isEmpty()
        && shortages.isEmpty()
        && reservations.isEmpty()
        && held.isEmpty()
        && downIntervals.isEmpty()
        && down.isEmpty();
  }
}
