package io.headgate.scheduler.core.ledger;

import io.headgate.scheduler.core.catalog.PolicyId;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.ToLongFunction;

/// Follows what policies lack of their reservations while their jobs wait.
final class ShortageLedger {
  /// Reasons are as fresh as this.
  private static final Duration LOOK_AGAIN = Duration.ofSeconds(1);

  private final Books books;
  private final Set<PolicyId> touched = new TreeSet<>();

  /// The policies that lack something, as it was told last. Looked up in only.
  private final Map<PolicyId, ShortageStep> told = new HashMap<>();

  private Instant lookAgainAt = Instant.MIN;

  ShortageLedger(Books books) {
    this.books = books;
  }

  void restore(ShortageStep step) {
    if (step.missing() > 0) {
      told.put(step.policy(), step);
      touched.add(step.policy());
    }
  }

  /// The policy may use something else now, or other jobs of it may wait.
  void touch(PolicyId policy) {
    touched.add(policy);
  }

  /// @param used GPU units of a policy's attempts
  void settle(Instant now, ToLongFunction<PolicyId> used, Entries entries) {
    if (!now.isBefore(lookAgainAt)) {
      // The first job of a policy may wait for another reason without a word: it has changed lanes.
      touched.addAll(told.keySet());
      lookAgainAt = now.plus(LOOK_AGAIN);
    }
    for (PolicyId policy : List.copyOf(touched)) {
      ShortageStep before = told.get(policy);
      ShortageStep after = step(policy, now, used.applyAsLong(policy));
      if (before == null ? after.missing() == 0 : isSame(before, after) && isNew(before, now)) {
        continue;
      }
      if (after.missing() == 0) {
        told.remove(policy);
      } else {
        told.put(policy, after);
      }
      entries.shortages().add(after);
    }
    touched.clear();
  }

  private static boolean isNew(ShortageStep step, Instant now) {
    return step.missing() == 0 || step.at().isAfter(now.minus(Ledger.TOLD_AGAIN));
  }

  private static boolean isSame(ShortageStep before, ShortageStep after) {
    return before.reservation() == after.reservation()
        && before.missing() == after.missing()
        && before.reason().equals(after.reason());
  }

  private ShortageStep step(PolicyId policy, Instant now, long used) {
    long reservation = books.rights(policy).reservation();
    if (used < reservation) {
      Books.Waiting waiting = books.waiting(policy);
      long missing = Math.min(reservation - used, waiting.units());
      if (missing > 0) {
        return new ShortageStep(policy, now, reservation, missing, waiting.reason());
      }
    }
    return new ShortageStep(policy, now, reservation, 0, Optional.empty());
  }
}
