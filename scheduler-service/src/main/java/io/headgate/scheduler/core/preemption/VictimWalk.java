package io.headgate.scheduler.core.preemption;

import io.headgate.scheduler.core.catalog.Reclaim;
import io.headgate.scheduler.core.placement.PoolState;
import io.headgate.scheduler.core.preemption.Candidates.Rank;
import io.headgate.scheduler.core.queue.LiveAttempt;
import io.headgate.scheduler.core.queue.Route;
import io.headgate.scheduler.core.rights.PolicyAccount;
import java.time.Instant;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.SequencedSet;
import org.jspecify.annotations.Nullable;

/// Victims one by one, in exactly the reverse of the order in which jobs start (DESIGN P2, P3):
/// worst execution priority in its pool, worst rank, most over-reservation ÷ weight, last started;
/// each only while its policy is above its reservation after those taken before.
///
/// With policies x (over by 4) and y (over by 3) in one rank and jobs of 2: x, then y, since x is
/// now over by 2; then x, then y, of which only 1 was over; then nobody.
final class VictimWalk {
  private final Reclaim reclaim;
  private final Instant now;
  private final Map<PolicyAccount, Long> taken = new HashMap<>();
  private final PriorityQueue<Line> lines;
  private @Nullable Instant protectedUntil;

  /// Attempts of one class, the last started first.
  private final class Line {
    final int position;
    final int rank;
    final PolicyAccount policy;
    final Iterator<LiveAttempt> attempts;
    @Nullable LiveAttempt next;

    /// What was taken from the policy when the line was put in its place.
    long takenThen;

    Line(PoolState pool, Rank key, SequencedSet<LiveAttempt> members) {
      position = pool.executionPosition(key.profile());
      rank = key.queue().rank();
      policy = key.policy();
      attempts = members.reversed().iterator();
      advance();
    }

    /// Goes to the next attempt that may go as far as its run time is concerned. Where no work is
    /// taken nothing would be gained by its going.
    void advance() {
      next = null;
      while (next == null && attempts.hasNext()) {
        LiveAttempt attempt = attempts.next();
        if (!attempt.isWhereWorkIsTaken()) {
          continue;
        }
        Instant until = attempt.protectedUntil();
        if (until.isAfter(now)) {
          if (protectedUntil == null || until.isBefore(protectedUntil)) {
            protectedUntil = until;
          }
        } else {
          next = attempt;
        }
      }
    }

    long nextSequence() {
      return next == null ? -1 : next.sequence();
    }
  }

  private static final Comparator<Line> WORST_FIRST =
      Comparator.<Line>comparingInt(line -> -line.position)
          .thenComparingInt(line -> -line.rank)
          .thenComparing((a, b) -> b.policy.compareShare(b.takenThen, a.policy, a.takenThen))
          .thenComparingLong(line -> -line.nextSequence());

  VictimWalk(Candidates candidates, List<Route> routes, Reclaim reclaim, Instant now) {
    this.reclaim = reclaim;
    this.now = now;
    this.lines = new PriorityQueue<>(WORST_FIRST);
    for (Route route : routes) {
      for (Map.Entry<Rank, SequencedSet<LiveAttempt>> entry : candidates.in(route.pool())) {
        // Most policies are within their reservation; they cost nothing further.
        if (entry.getKey().policy().over(0) > 0) {
          put(new Line(route.pool(), entry.getKey(), entry.getValue()));
        }
      }
    }
  }

  private void put(Line line) {
    if (line.next != null) {
      line.takenThen = taken(line.policy);
      lines.add(line);
    }
  }

  private long taken(PolicyAccount policy) {
    return taken.getOrDefault(policy, 0L);
  }

  /// The next victim; empty when nobody else may go.
  Optional<LiveAttempt> next() {
    while (true) {
      Line line = lines.poll();
      if (line == null || line.next == null) {
        return Optional.empty();
      }
      if (line.takenThen != taken(line.policy)) {
        // Its policy has lost others since: its turn may be later than its place said, never
        // earlier.
        put(line);
        continue;
      }
      LiveAttempt victim = line.next;
      if (!mayGo(victim)) {
        // What is taken from a policy only grows: this one may not go any more, and no larger one
        // either.
        if (reclaim == Reclaim.STRICT) {
          line.advance();
          put(line);
        }
        continue;
      }
      taken.merge(line.policy, victim.units(), Long::sum);
      line.advance();
      put(line);
      return Optional.of(victim);
    }
  }

  private boolean mayGo(LiveAttempt victim) {
    PolicyAccount policy = victim.policy();
    long standing = policy.standing() - taken(policy);
    return switch (reclaim) {
      case RESERVATION -> standing > policy.reservation();
      case STRICT -> standing - victim.units() >= policy.reservation();
    };
  }

  /// The earliest end of protection of an attempt that was passed over.
  Optional<Instant> protectedUntil() {
    return Optional.ofNullable(protectedUntil);
  }
}
