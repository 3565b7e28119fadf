package io.headgate.scheduler.core;

import io.headgate.scheduler.core.catalog.UserId;
import io.headgate.scheduler.core.queue.LiveAttempt;
import io.headgate.scheduler.core.rights.PolicyAccount;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// The running attempts of each policy that were not asked to stop. Their ends make headroom in the
/// limits of the policy and of the levels above it (O7).
final class PolicyAttempts {
  private static final class OfPolicy {
    private final Set<LiveAttempt> attempts = new LinkedHashSet<>();
    private long version;

    /// The same by user; null until it is asked for, as few policies limit users.
    private @Nullable Map<UserId, Set<LiveAttempt>> byUser;

    void add(LiveAttempt attempt) {
      attempts.add(attempt);
      if (byUser != null) {
        addTo(byUser, attempt);
      }
    }

    boolean remove(LiveAttempt attempt) {
      if (byUser != null) {
        byUser.computeIfPresent(
            attempt.job().user(), (_, own) -> own.remove(attempt) && own.isEmpty() ? null : own);
      }
      return attempts.remove(attempt);
    }

    Collection<LiveAttempt> of(UserId user) {
      if (byUser == null) {
        Map<UserId, Set<LiveAttempt>> all = new HashMap<>();
        attempts.forEach(attempt -> addTo(all, attempt));
        byUser = all;
      }
      return byUser.getOrDefault(user, Set.of());
    }

    private static void addTo(Map<UserId, Set<LiveAttempt>> all, LiveAttempt attempt) {
      all.computeIfAbsent(attempt.job().user(), key -> new LinkedHashSet<>()).add(attempt);
    }
  }

  private final Map<PolicyAccount, OfPolicy> byPolicy = new HashMap<>();
  private long version;

  /// Takes in an attempt that uses GPUs.
  void add(LiveAttempt attempt) {
    if (attempt.units() > 0) {
      OfPolicy changed = byPolicy.computeIfAbsent(attempt.policy(), key -> new OfPolicy());
      changed.add(attempt);
      count(changed);
    }
  }

  void remove(LiveAttempt attempt) {
    OfPolicy changed = byPolicy.get(attempt.policy());
    if (changed != null && changed.remove(attempt)) {
      count(changed);
    }
  }

  /// More is known of the run times of the policy's jobs.
  void expectedEndsChanged(PolicyAccount policy) {
    OfPolicy known = byPolicy.get(policy);
    if (known != null) {
      count(known);
    }
  }

  private void count(OfPolicy changed) {
    changed.version++;
    version++;
  }

  /// The attempts of one policy, in no order that means anything.
  Collection<LiveAttempt> of(PolicyAccount policy) {
    OfPolicy known = byPolicy.get(policy);
    return known == null ? List.of() : known.attempts;
  }

  /// The attempts of one user in one policy, in no order that means anything.
  Collection<LiveAttempt> of(PolicyAccount policy, UserId user) {
    OfPolicy known = byPolicy.get(policy);
    return known == null ? List.of() : known.of(user);
  }

  /// Changes with the attempts of the policy and their expected ends.
  long version(PolicyAccount policy) {
    OfPolicy known = byPolicy.get(policy);
    return known == null ? 0 : known.version;
  }

  /// Changes with the attempts of any policy.
  long version() {
    return version;
  }
}
