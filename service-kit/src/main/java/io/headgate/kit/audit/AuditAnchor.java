package io.headgate.kit.audit;

/// A place in a chain.
///
/// @param sequence number of the entry in its chain, from 1
/// @param hash SHA-256 over the entry and the hash before it, in lower-case hexadecimal
public record AuditAnchor(long sequence, String hash) {
  @Override
  public String toString() {
    return sequence + ":" + hash;
  }
}
