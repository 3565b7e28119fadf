package io.headgate.policy.runtime;

import io.headgate.kit.decision.DeniedException;
import io.headgate.kit.time.TimeSource;
import io.headgate.policy.core.Denial;
import io.headgate.policy.core.key.KeyId;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/// Limits the rate of wrong secrets. Secrets cannot be guessed anyway; the limit bounds the cost of
/// attackers, and of clients that loop with a revoked key.
///
/// Each address may fail a number of times per minute, and each key from one address much less
/// often. So one machine with a revoked key reaches its own limit long before the limit of its
/// address, and does not lock out other machines behind it. Thread-safe.
public final class FailedAttempts {
  static final int PER_KEY = 10;
  static final int PER_ADDRESS = 300;

  private static final int GROUPS_OF_IPV6 = 8;

  private final LeakyBuckets failures;

  public FailedAttempts(TimeSource time) {
    this.failures = new LeakyBuckets(time);
  }

  /// The origin of an attempt.
  ///
  /// @param key id in the secret; absent: the text has not the form of a secret
  public record Source(String address, Optional<KeyId> key) {
    /// One customer usually has a whole IPv6 /64.
    String network() {
      List<String> groups = List.of(address.split(":", -1));
      return groups.size() == GROUPS_OF_IPV6
          ? String.join(":", groups.subList(0, GROUPS_OF_IPV6 / 2))
          : address;
    }

    String pair() {
      return network() + " " + key.map(KeyId::value).orElse("");
    }
  }

  /// Refuses a source with too many recent failures.
  public void require(Source source) {
    Duration network = failures.untilRoom(source.network());
    Duration pair = failures.untilRoom(source.pair());
    Duration wait = network.compareTo(pair) >= 0 ? network : pair;
    if (wait.isPositive()) {
      throw new DeniedException(new Denial.TooManyAttempts(wait));
    }
  }

  public void failed(Source source) {
    failures.tryAdd(source.network(), PER_ADDRESS);
    failures.tryAdd(source.pair(), PER_KEY);
  }
}
