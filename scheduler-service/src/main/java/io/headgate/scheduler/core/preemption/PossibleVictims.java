package io.headgate.scheduler.core.preemption;

import io.headgate.scheduler.core.catalog.ProfileId;
import io.headgate.scheduler.core.placement.PoolState;
import io.headgate.scheduler.core.queue.LiveAttempt;
import io.headgate.scheduler.core.queue.LiveJob;
import io.headgate.scheduler.core.queue.QueueState;
import io.headgate.scheduler.core.rights.PolicyAccount;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.SequencedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/// The attempts that may become victims, by pool, policy, queue, profile and job priority, which
/// decide their order. Inside a class they are in the order of their assignment.
public final class PossibleVictims {
  /// Attempts that only the time of their assignment tells apart.
  record Rank(QueueState queue, PolicyAccount policy, ProfileId profile, int priority) {
    /// Nearly always a queue's attempts have one policy and one profile.
    @Override
    public int hashCode() {
      return 31 * queue.hashCode() + priority;
    }
  }

  private static final Comparator<LiveAttempt> BY_SEQUENCE =
      Comparator.comparingLong(LiveAttempt::sequence);

  /// The classes of a pool by policy. Most policies, and they are many, have no possible victims.
  private final Map<PoolState, Map<PolicyAccount, Map<Rank, SequencedSet<LiveAttempt>>>> byPool =
      new HashMap<>();

  /// How many attempts of each number of units there are in a pool. There are few sizes.
  private final Map<PoolState, TreeMap<Long, Integer>> sizes = new HashMap<>();

  private long freshFrom;
  private long lastStart = -1;

  /// The suspended attempts.
  private final Map<PoolState, Map<Rank, SequencedSet<LiveAttempt>>> suspended = new HashMap<>();

  /// How many of those a policy has.
  private final Map<PolicyAccount, Integer> suspendedOf = new HashMap<>();

  /// Takes in an attempt that runs or is suspended. One that may not be preempted, or that has no
  /// GPU and so is no over-reservation usage, never becomes a victim.
  public void add(LiveAttempt attempt) {
    if (attempt.isSuspended()) {
      suspended
          .computeIfAbsent(attempt.pool(), key -> new HashMap<>())
          .computeIfAbsent(rank(attempt), key -> new TreeSet<>(BY_SEQUENCE))
          .add(attempt);
      suspendedOf.merge(attempt.policy(), 1, Integer::sum);
    } else if (isCandidate(attempt)) {
      byPool
          .computeIfAbsent(attempt.pool(), key -> new HashMap<>())
          .computeIfAbsent(attempt.policy(), key -> new HashMap<>())
          .computeIfAbsent(rank(attempt), key -> new LinkedHashSet<>())
          .add(attempt);
      sizes
          .computeIfAbsent(attempt.pool(), key -> new TreeMap<>())
          .merge(attempt.units(), 1, Integer::sum);
      lastStart = Math.max(lastStart, attempt.sequence());
    }
  }

  /// A decision begins that follows from more than the passage of time.
  ///
  /// @param next the sequence number that the next start will have
  /// @return whether an attempt may be a victim from now on that was none until then
  public boolean endFreshness(long next) {
    boolean someWereFresh = lastStart >= freshFrom;
    freshFrom = next;
    return someWereFresh;
  }

  /// Attempts with this sequence number or a higher one are fresh.
  public long freshFrom() {
    return freshFrom;
  }

  /// Whether nothing was reported or asked for since the attempt started. So it is no victim yet: a
  /// job that its own start exposes does not start only to be stopped, and one pass after another
  /// without news changes nothing (P5).
  boolean isFresh(LiveAttempt attempt) {
    return attempt.sequence() >= freshFrom;
  }

  /// Whether some attempt in the pool has more units.
  boolean areSomeLarger(PoolState pool, long units) {
    TreeMap<Long, Integer> ofPool = sizes.get(pool);
    return ofPool != null && !ofPool.isEmpty() && ofPool.lastKey() > units;
  }

  /// The attempt is stopping, has ended, or has resumed.
  public void remove(LiveAttempt attempt) {
    Map<Rank, SequencedSet<LiveAttempt>> ranks =
        attempt.isSuspended()
            ? suspended.getOrDefault(attempt.pool(), Map.of())
            : classes(attempt.pool(), attempt.policy());
    Rank rank = rank(attempt);
    SequencedSet<LiveAttempt> attempts = ranks.get(rank);
    if (attempts == null || !attempts.remove(attempt)) {
      return;
    }
    if (attempts.isEmpty()) {
      ranks.remove(rank);
    }
    if (!attempt.isSuspended()) {
      sizes
          .getOrDefault(attempt.pool(), new TreeMap<>())
          .computeIfPresent(attempt.units(), (units, count) -> count == 1 ? null : count - 1);
    } else {
      suspendedOf.computeIfPresent(
          attempt.policy(), (policy, count) -> count == 1 ? null : count - 1);
    }
  }

  /// Whether some of the policy are suspended, in any pool.
  public boolean areSuspendedOf(PolicyAccount policy) {
    return !suspendedOf.isEmpty() && suspendedOf.containsKey(policy);
  }

  /// The classes of those that run in a pool by their policies, in no particular order; in each
  /// class the one assigned first comes first.
  Map<PolicyAccount, Map<Rank, SequencedSet<LiveAttempt>>> in(PoolState pool) {
    return pool.isDedicated() ? Map.of() : byPool.getOrDefault(pool, Map.of());
  }

  /// The suspended attempts of the pool, as [#in].
  Map<Rank, SequencedSet<LiveAttempt>> suspendedIn(PoolState pool) {
    return pool.isDedicated() ? Map.of() : suspended.getOrDefault(pool, Map.of());
  }

  /// The classes of those of one policy that run, by their pools, in no particular order.
  Map<PoolState, Map<Rank, SequencedSet<LiveAttempt>>> of(PolicyAccount policy) {
    Map<PoolState, Map<Rank, SequencedSet<LiveAttempt>>> found = new HashMap<>();
    for (PoolState pool : byPool.keySet()) {
      Map<Rank, SequencedSet<LiveAttempt>> ofPolicy = classes(pool, policy);
      if (!ofPolicy.isEmpty()) {
        found.put(pool, ofPolicy);
      }
    }
    return found;
  }

  private Map<Rank, SequencedSet<LiveAttempt>> classes(PoolState pool, PolicyAccount policy) {
    return byPool.getOrDefault(pool, Map.of()).getOrDefault(policy, Map.of());
  }

  private static boolean isCandidate(LiveAttempt attempt) {
    return attempt.claim().preemptible() && attempt.units() > 0 && attempt.stop() == null;
  }

  private static Rank rank(LiveAttempt attempt) {
    LiveJob job = attempt.job();
    return new Rank(job.queue(), attempt.policy(), attempt.profile(), job.priority());
  }
}
