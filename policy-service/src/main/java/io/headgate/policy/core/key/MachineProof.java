package io.headgate.policy.core.key;

/// A signature by which a caller shows that it has the private key of a machine.
///
/// @param key the machine's public key, as the caller states it
/// @param signature in hexadecimal
public record MachineProof(MachineKey key, String signature) {
  /// A proof that is good once.
  ///
  /// @param counter higher than in each earlier proof with the same key
  public record Numbered(MachineProof proof, long counter) {}
}
