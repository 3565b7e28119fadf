package io.headgate.policy.core.signing;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/// The rotation of signing keys. A successor is published for `lead` before it signs, so that
/// verifiers have it when the first token arrives. Its predecessor verifies until the last token
/// that it signed has expired.
///
/// Example: period 30 d, lead 10 min, tokens of 10 min and 1 min of skew. Key A signs from day 0.
/// On day 30 at 12:00 key B is created and published. From 12:10 B signs. At 12:21 A is removed.
///
/// @param period age of the newest key at which it gets a successor
/// @param lead time between publishing a key and signing with it
/// @param tail time that a key must verify after its last signature: the lifetime of a token and
///   the skew of clocks
public record RotationRule(Duration period, Duration lead, Duration tail) {
  public RotationRule {
    if (period.compareTo(lead.plus(tail)) <= 0) {
      throw new IllegalArgumentException(
          "a signing key must sign longer than it takes to publish and outlive one: " + period);
    }
  }

  /// The due actions.
  ///
  /// @param successorFrom a new key is needed, which signs from this time on
  /// @param dead ids of keys that no valid token needs
  public record Due(Optional<Instant> successorFrom, List<String> dead) {
    public boolean isNothing() {
      return successorFrom.isEmpty() && dead.isEmpty();
    }
  }

  public Due due(List<SigningKeyTimes> keys, Instant now) {
    List<SigningKeyTimes> byStart = sorted(keys);
    Optional<Instant> successor;
    if (byStart.isEmpty()) {
      // Without an earlier key no verifier has to learn of a change.
      successor = Optional.of(now);
    } else {
      boolean old = !now.isBefore(byStart.getLast().createdAt().plus(period));
      successor = old ? Optional.of(now.plus(lead)) : Optional.empty();
    }
    List<String> dead = new ArrayList<>();
    for (int i = 0; i + 1 < byStart.size(); i++) {
      if (!now.isBefore(byStart.get(i + 1).activeFrom().plus(tail))) {
        dead.add(byStart.get(i).keyId());
      }
    }
    return new Due(successor, dead);
  }

  /// The signing key: the last one whose time has begun. If the clock was set back before all of
  /// them, it is the first, which every verifier has.
  public static Optional<String> signing(List<SigningKeyTimes> keys, Instant now) {
    String signing = null;
    for (SigningKeyTimes key : sorted(keys)) {
      if (signing == null || !key.activeFrom().isAfter(now)) {
        signing = key.keyId();
      }
    }
    return Optional.ofNullable(signing);
  }

  private static List<SigningKeyTimes> sorted(List<SigningKeyTimes> keys) {
    return keys.stream()
        .sorted(
            Comparator.comparing(SigningKeyTimes::activeFrom)
                .thenComparing(SigningKeyTimes::createdAt)
                .thenComparing(SigningKeyTimes::keyId))
        .toList();
  }
}
