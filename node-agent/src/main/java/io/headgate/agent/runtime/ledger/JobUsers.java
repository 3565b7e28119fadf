package io.headgate.agent.runtime.ledger;

import io.headgate.agent.core.AttemptKey;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalInt;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Assigns each attempt a user of a range that no other live attempt on this machine has.
///
/// The user follows from the job's name unless it is taken. The attempts of a job, and the workers
/// of an attempt on all machines, then usually own their shared checkpoints as one user. Used by
/// the loop's thread only.
public final class JobUsers {
  private final int first;
  private final int count;
  private final Map<Integer, Set<AttemptKey>> held = new HashMap<>();

  /// @param first of the range, not root
  /// @param count how many there are
  public JobUsers(int first, int count) {
    this.first = first;
    this.count = count;
  }

  /// The user of an attempt from now on; empty: all are taken.
  OptionalInt take(AttemptKey key) {
    int begin = Math.floorMod(Objects.hash(key.job().toString(), key.uid()), count);
    for (int i = 0; i < count; i++) {
      int user = first + Math.floorMod(begin + i, count);
      if (isFor(key, held.get(user))) {
        found(key, user);
        return OptionalInt.of(user);
      }
    }
    return OptionalInt.empty();
  }

  /// It was taken before, by an agent that has ended.
  void found(AttemptKey key, int user) {
    held.computeIfAbsent(user, _ -> new HashSet<>()).add(key);
  }

  /// Nothing of the attempt lives any more.
  void free(AttemptKey key) {
    held.values().removeIf(keys -> keys.remove(key) && keys.isEmpty());
  }

  /// Workers of one attempt are one user: they write into one directory.
  private static boolean isFor(AttemptKey key, @Nullable Set<AttemptKey> holders) {
    return holders == null
        || holders.stream()
            .allMatch(other ->
                other.job().equals(key.job())
                    && other.uid().equals(key.uid())
                    && other.attempt() == key.attempt());
  }
}
