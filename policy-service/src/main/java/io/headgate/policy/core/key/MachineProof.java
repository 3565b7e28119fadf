package io.headgate.policy.core.key;

import java.time.Duration;

/// A signature by which a caller shows that it has the private key of a machine.
///
/// @param key the machine's public key, as the caller states it
/// @param signature in hexadecimal
public record MachineProof(MachineKey key, String signature) {
  /// A proof that is good once.
  ///
  /// @param counter higher than in each earlier proof with the same key; above 0
  public record Numbered(MachineProof proof, long counter) {
    /// How far a counter may be above the service's clock, in milliseconds since 1970, or above the
    /// last counter, whichever is higher.
    public static final Duration MOST_AHEAD = Duration.ofDays(1);
  }
}
