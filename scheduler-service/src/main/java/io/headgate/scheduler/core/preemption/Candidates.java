package io.headgate.scheduler.core.preemption;

import io.headgate.scheduler.core.catalog.ProfileId;
import io.headgate.scheduler.core.placement.PoolState;
import io.headgate.scheduler.core.queue.LiveAttempt;
import io.headgate.scheduler.core.queue.QueueState;
import io.headgate.scheduler.core.rights.PolicyAccount;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.SequencedSet;

/// The attempts that may become victims, by pool and by what decides their order: queue, policy,
/// profile. Inside a class they are in the order of their assignment.
public final class Candidates {
  /// Attempts that only the time of their assignment tells apart.
  record Rank(QueueState queue, PolicyAccount policy, ProfileId profile) {}

  private final Map<PoolState, Map<Rank, SequencedSet<LiveAttempt>>> byPool = new HashMap<>();

  /// Takes in a running attempt. One that may not be preempted, or that has no GPU and so is no
  /// over-reservation usage, never becomes a victim.
  public void add(LiveAttempt attempt) {
    if (isCandidate(attempt)) {
      byPool
          .computeIfAbsent(attempt.pool(), key -> new HashMap<>())
          .computeIfAbsent(rank(attempt), key -> new LinkedHashSet<>())
          .add(attempt);
    }
  }

  /// It stops, or has ended.
  public void remove(LiveAttempt attempt) {
    Map<Rank, SequencedSet<LiveAttempt>> ranks = byPool.get(attempt.pool());
    if (ranks == null) {
      return;
    }
    Rank rank = rank(attempt);
    SequencedSet<LiveAttempt> attempts = ranks.get(rank);
    if (attempts != null && attempts.remove(attempt) && attempts.isEmpty()) {
      ranks.remove(rank);
    }
  }

  /// The classes of a pool, in no particular order; in each the one assigned first comes first.
  Collection<Map.Entry<Rank, SequencedSet<LiveAttempt>>> in(PoolState pool) {
    Map<Rank, SequencedSet<LiveAttempt>> ranks = byPool.get(pool);
    return ranks == null || pool.isDedicated() ? List.of() : ranks.entrySet();
  }

  private static boolean isCandidate(LiveAttempt attempt) {
    return attempt.claim().preemptible() && attempt.units() > 0 && attempt.stop() == null;
  }

  private static Rank rank(LiveAttempt attempt) {
    return new Rank(attempt.job().queue(), attempt.policy(), attempt.profile());
  }
}
