package io.headgate.scheduler.core.preemption;

import io.headgate.scheduler.core.catalog.Reclaim;
import io.headgate.scheduler.core.job.Assignment;
import io.headgate.scheduler.core.placement.PoolState;
import io.headgate.scheduler.core.queue.LiveAttempt;
import io.headgate.scheduler.core.queue.Route;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// Makes room for an entitled job that fits nowhere (DESIGN P1-P4).
///
/// 1. If it fits once everything that already stops has stopped, it waits for that: nobody else has
///    to go.
/// 2. Else victims are taken in their order, over all its pools, until it fits in one of them: the
///    shortest prefix.
/// 3. Of the prefix, the fewest and then the least lost work are chosen; all others are given back.
///
/// DESIGN's first example: R&D has 9 of 10 with three jobs of 3, reservation 5. DevOps asks for 3.
/// 1 is idle; the last started of R&D (9 > 5) makes it 4, and the job fits: one victim. Then DevOps
/// asks for 2. 1 is idle; R&D has 6 > 5, so its last started goes, and R&D ends at 3, below its
/// reservation.
public final class PreemptionSearch {
  /// What came of a search.
  public sealed interface Result {
    /// The job can have the place when the victims have left it.
    ///
    /// @param victims to be asked to stop, in the order of [VictimWalk]; none when it only waits
    ///   for those that stop anyway
    record Found(PoolState pool, Assignment place, List<LiveAttempt> victims) implements Result {}

    /// Nobody may go who would make room.
    ///
    /// @param retryAt when the protection of an attempt ends that was passed over
    record NotFound(Optional<Instant> retryAt) implements Result {}
  }

  private PreemptionSearch() {}

  /// Finds a place and the victims that have to leave it.
  ///
  /// @param routes of the job, in routing order; its shape is theirs
  public static Result search(
      Candidates candidates, List<Route> routes, Reclaim reclaim, Instant now) {
    Map<PoolState, Tally> tallies = new LinkedHashMap<>();
    for (Route route : routes) {
      Tally tally = new Tally(route);
      if (tally.fits()) {
        return new Result.Found(route.pool(), tally.place(), List.of());
      }
      tallies.put(route.pool(), tally);
    }
    VictimWalk walk = new VictimWalk(candidates, routes, reclaim, now);
    Map<PoolState, List<LiveAttempt>> prefixes = new LinkedHashMap<>();
    for (Optional<LiveAttempt> next = walk.next(); next.isPresent(); next = walk.next()) {
      LiveAttempt victim = next.get();
      Tally tally = tallies.get(victim.pool());
      if (tally == null) {
        throw new IllegalStateException(victim.id() + " is in none of the job's pools");
      }
      List<LiveAttempt> prefix = prefixes.computeIfAbsent(victim.pool(), key -> new ArrayList<>());
      prefix.add(victim);
      tally.remove(victim);
      if (tally.fits()) {
        List<LiveAttempt> victims = VictimChoice.choose(tally, prefix, now);
        return new Result.Found(victim.pool(), tally.place(), victims);
      }
    }
    return new Result.NotFound(walk.protectedUntil());
  }
}
