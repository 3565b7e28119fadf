package io.headgate.policy.runtime;

import io.headgate.kit.decision.DeniedException;
import io.headgate.kit.time.TimeSource;
import io.headgate.policy.core.Denial;
import io.headgate.policy.core.key.KeyId;
import io.headgate.policy.core.key.SecretHash;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/// Bounds the work for wrong secrets, and refuses no good one. Secrets cannot be guessed; the bound
/// holds for the cost of attackers, and of clients that loop with a revoked key.
///
/// - A secret that was wrong a moment ago is refused from memory.
/// - A key id and a network that fail often come under a penalty: secrets from there are looked up
///   in a slow lane, two at a time, in the order of their arrival. A good key passes it within
///   milliseconds, because each look-up takes one row and one hash.
/// - A secret that was good a moment ago is looked up at once, wherever it comes from. So an agent
///   renews its token beside a job that floods from the same address.
/// - A good secret with a wrong proof of its machine is a failure, and stays a good secret. So an
///   agent renews its token beside a thief of its secret.
///
/// Thread-safe.
public final class FailedAttempts {
  static final int PER_KEY = 10;
  static final int PER_NETWORK = 300;

  /// Look-ups at a time from under a penalty.
  static final int SLOW_LANE = 2;

  private static final Duration LONGEST_WAIT = Duration.ofSeconds(5);
  private static final Duration WRONG_KEPT = Duration.ofMinutes(1);
  private static final Duration GOOD_KEPT = Duration.ofHours(1);
  private static final int MOST_KEPT = 20_000;
  private static final int GROUPS_OF_IPV6 = 8;

  private final LeakyBuckets failures;
  private final Recent wrong;
  private final Recent good;
  private final Semaphore slowLane = new Semaphore(SLOW_LANE, true);

  public FailedAttempts(TimeSource time) {
    this.failures = new LeakyBuckets(time);
    this.wrong = new Recent(time, WRONG_KEPT);
    this.good = new Recent(time, GOOD_KEPT);
  }

  /// One attempt.
  ///
  /// @param address of the client
  /// @param key id in the secret
  /// @param hash of everything that decides whether the attempt is good
  /// @param bearer hash of the parts that are equal in all good attempts of one client
  public record Attempt(String address, KeyId key, SecretHash hash, SecretHash bearer) {
    /// An attempt whose repetitions are all equal.
    public Attempt(String address, KeyId key, SecretHash hash) {
      this(address, key, hash, hash);
    }

    /// One customer usually has a whole IPv6 /64.
    String network() {
      List<String> groups = List.of(address.split(":", -1));
      return groups.size() == GROUPS_OF_IPV6
          ? String.join(":", groups.subList(0, GROUPS_OF_IPV6 / 2))
          : address;
    }

    String keyName() {
      return "key " + key.value();
    }
  }

  /// Decides on an attempt by `lookUp`, or from memory. May wait for seconds.
  ///
  /// @param lookUp empty: the secret is wrong
  /// @return empty: the secret is wrong
  /// @throws DeniedException TooManyAttempts if the slow lane is full of other attempts
  public <T> Optional<T> decide(Attempt attempt, Supplier<Optional<T>> lookUp) {
    if (wrong.contains(attempt.hash())) {
      return Optional.empty();
    }
    Optional<T> found =
        isPenalised(attempt) && !good.contains(attempt.bearer()) ? slowly(lookUp) : lookUp.get();
    if (found.isPresent()) {
      good.add(attempt.bearer());
    } else {
      good.remove(attempt.bearer());
      countWrong(attempt);
    }
    return found;
  }

  /// Counts an attempt whose secret is good and whose proof is wrong, and refuses its repetitions
  /// from memory.
  void countWrong(Attempt attempt) {
    wrong.add(attempt.hash());
    countFailure(attempt);
  }

  /// Counts an attempt that failed, and looks up its repetitions.
  void countFailure(Attempt attempt) {
    failures.tryAdd(attempt.network(), PER_NETWORK);
    failures.tryAdd(attempt.keyName(), PER_KEY);
  }

  boolean isPenalised(Attempt attempt) {
    return failures.untilRoom(attempt.network()).isPositive()
        || failures.untilRoom(attempt.keyName()).isPositive();
  }

  private <T> Optional<T> slowly(Supplier<Optional<T>> lookUp) {
    try {
      if (!slowLane.tryAcquire(LONGEST_WAIT.toMillis(), TimeUnit.MILLISECONDS)) {
        throw new DeniedException(new Denial.TooManyAttempts(LONGEST_WAIT));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new DeniedException(new Denial.TooManyAttempts(LONGEST_WAIT));
    }
    try {
      return lookUp.get();
    } finally {
      slowLane.release();
    }
  }

  /// Hashes of a bounded number of secrets, for a time. The oldest go first. Thread-safe.
  private static final class Recent {
    private final TimeSource time;
    private final long keptNanos;
    // Guarded by itself; in order of insertion.
    private final Map<SecretHash, Long> since =
        new LinkedHashMap<>() {
          private static final long serialVersionUID = 1;

          @Override
          protected boolean removeEldestEntry(Map.Entry<SecretHash, Long> eldest) {
            return size() > MOST_KEPT;
          }
        };

    Recent(TimeSource time, Duration kept) {
      this.time = time;
      this.keptNanos = kept.toNanos();
    }

    boolean contains(SecretHash hash) {
      synchronized (since) {
        Long at = since.get(hash);
        return at != null && time.monotonicNanos() - at < keptNanos;
      }
    }

    void add(SecretHash hash) {
      synchronized (since) {
        since.remove(hash);
        since.put(hash, time.monotonicNanos());
      }
    }

    void remove(SecretHash hash) {
      synchronized (since) {
        since.remove(hash);
      }
    }
  }
}
