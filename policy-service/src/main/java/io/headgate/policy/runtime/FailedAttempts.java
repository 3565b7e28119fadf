package io.headgate.policy.runtime;

import io.headgate.kit.decision.DeniedException;
import io.headgate.kit.time.TimeSource;
import io.headgate.policy.core.Denial;
import io.headgate.policy.core.key.KeyId;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/// Bounds how often wrong secrets are tried. Guessing one is hopeless anyhow; this keeps those who
/// try, and clients that loop with a key that was revoked, from costing much.
///
/// Each address may fail so often a minute, and each key from an address much less often, so that
/// one machine with a revoked key does not lock out the others behind the same address: it is held
/// back itself long before. Thread-safe.
public final class FailedAttempts {
  static final int PER_KEY = 10;
  static final int PER_ADDRESS = 300;

  private static final int GROUPS_OF_IPV6 = 8;

  private final LeakyBuckets failures;

  public FailedAttempts(TimeSource time) {
    this.failures = new LeakyBuckets(time);
  }

  /// Who tries.
  ///
  /// @param key that the secret names; absent: it has not even the form of one
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

  /// Refuses one who failed too often of late.
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
