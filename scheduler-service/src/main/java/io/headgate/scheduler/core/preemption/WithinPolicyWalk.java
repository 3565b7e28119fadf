package io.headgate.scheduler.core.preemption;

import io.headgate.scheduler.core.queue.LiveAttempt;
import io.headgate.scheduler.core.rights.PolicyAccount;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Gives victims of the job's own policy, in exactly the reverse of O5 (P9): lowest job priority
/// first, and among equals the last started. The policy's usage does not grow by it, so its
/// reservation plays no part; nor does a pool's dedication, which protects from others.
///
/// A job of priority 5, running ones of 0 (started 9:00), 0 (9:30), 3 and 5: the one of 9:30, that
/// of 9:00, that of priority 3; then the walk ends.
final class WithinPolicyWalk implements VictimIterator {
  private static final Comparator<LiveAttempt> FIRST_TO_GO =
      Comparator.<LiveAttempt>comparingInt(attempt -> attempt.job().priority())
          .thenComparing(Comparator.comparingLong(LiveAttempt::sequence).reversed());

  private final Deque<LiveAttempt> victims;
  private @Nullable Instant protectedUntil;

  WithinPolicyWalk(
      PossibleVictims possibleVictims, PolicyAccount account, int priority, Instant now) {
    List<LiveAttempt> found = new ArrayList<>();
    for (LiveAttempt attempt : possibleVictims.of(account)) {
      if (attempt.job().priority() >= priority || possibleVictims.isFresh(attempt)) {
        continue;
      }
      Instant until = attempt.protectedUntil();
      if (!until.isAfter(now)) {
        found.add(attempt);
      } else if (protectedUntil == null || until.isBefore(protectedUntil)) {
        protectedUntil = until;
      }
    }
    found.sort(FIRST_TO_GO);
    victims = new ArrayDeque<>(found);
  }

  @Override
  public Optional<LiveAttempt> next() {
    return Optional.ofNullable(victims.poll());
  }

  @Override
  public Optional<Instant> protectedUntil() {
    return Optional.ofNullable(protectedUntil);
  }
}
